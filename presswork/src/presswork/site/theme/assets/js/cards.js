// Escape takes away the card that is open. Its word has one again when pointer and focus have left it.
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape")
    for (const word of document.querySelectorAll(":is(.cc-val, .cc-cite, .cc-badge, abbr):is(:hover, :focus-within)")) word.classList.add("cc-shut");
});
const left = () => document.querySelectorAll(".cc-shut:not(:hover, :focus-within)").forEach(word => word.classList.remove("cc-shut"));
for (const kind of ["mouseout", "focusout"]) document.addEventListener(kind, () => setTimeout(left));
