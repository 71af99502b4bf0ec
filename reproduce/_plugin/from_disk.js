// A page that was opened from disk may fetch no file. So each file that it would fetch lies there as a script as well,
// `name.js`, which sets `carried` to its bytes in base64.
const fetched = globalThis.fetch;
globalThis.fetch = async address => {
  const { href } = new URL(address, document.baseURI);
  await new Promise((done, fail) => {
    const script = document.createElement("script");
    script.onload = done;
    script.onerror = () => fail(new Error(`${href} is not in this copy`));
    script.src = `${href}.js`;
    document.head.append(script);
  });
  return fetched(`data:application/octet-stream;base64,${globalThis.carried}`); // at once: the next script sets it anew
};
