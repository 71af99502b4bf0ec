// Of one page, into the open document: its ids and links begin with its name, and what needs a reader's click is left out.
([html, name, home]) => {
  const article = new DOMParser().parseFromString(html, "text/html").querySelector("article");
  const clicked = ".headerlink, .anchor-link, .cc-foot, .cc-live-ui, .cc-live-start, .cc-verify, .cc-card, .cc-notebook";
  article.querySelectorAll(`script, noscript, .cc-only-dark, ${clicked}`).forEach(one => one.remove());
  for (const one of article.querySelectorAll("[id]")) one.id = `${name}-${one.id}`;
  for (const one of article.querySelectorAll("[name]")) one.name = `${name}-${one.name}`; // groups of tabs
  article.id = name;
  for (const picture of article.querySelectorAll("img")) {
    picture.src = new URL(picture.getAttribute("src"), home + name).href;
    picture.loading = "eager";
  }
  for (const link of article.querySelectorAll("a[href]")) {
    const to = new URL(link.getAttribute("href"), home + name);
    const page = to.href.replace(to.hash, "").replace(home, "");
    if (to.protocol !== "file:") continue;
    if (page.endsWith(".html")) link.href = "#" + page + to.hash.replace("#", "-");
    else link.removeAttribute("href"); // rows and receipts are in the zip
  }
  const content = document.querySelector(".md-content");
  content.append(article);
  const entry = content.querySelector("ul").appendChild(document.createElement("li"));
  const link = entry.appendChild(document.createElement("a"));
  link.href = `#${name}`;
  link.textContent = article.querySelector("h1").textContent.trim();
}
