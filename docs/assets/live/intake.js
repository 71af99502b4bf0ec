// A reader's own runs: a file that is chosen or dropped, or text that is pasted; and the choice among the runs in it.
//
//   intake(root, part, take, complain): take(run) gets the chosen run, complain(sentence) what is wrong ("": nothing)

import { TableError, parse, read } from "./table.js";

export function intake(root, part, take, complain) {
  let runs = [];

  async function from(reading) {
    try {
      runs = await reading();
    } catch (error) {
      if (!(error instanceof TableError)) throw error;
      return complain(`${error.message} The curve shown is still the earlier one.`);
    }
    complain("");
    offer();
    return take(runs[0]);
  }

  function offer() {
    part("runs").replaceChildren(...runs.map(({ name }, i) => new Option(name, i))); // Option takes text, not HTML
    part("runs-line").hidden = false;
    part("runs-said").textContent = runs.length === 1 ? "One run was read." : `${runs.length.toLocaleString("en")} runs were read.`;
  }

  const fromFiles = (files) => from(() => (files.length === 1 ? read(files[0]) : one()));
  part("file").addEventListener("change", ({ target }) => {
    if (target.files.length) fromFiles([...target.files]);
    target.value = ""; // so that the same file can be chosen again
  });
  part("read").addEventListener("click", () => from(async () => parse(part("text").value)));
  part("text").addEventListener("paste", () => setTimeout(() => part("read").click()));
  part("runs").addEventListener("change", ({ target }) => take(runs[target.value]));

  root.addEventListener("dragover", (event) => {
    event.preventDefault();
    root.classList.add("cc-live-over");
  });
  root.addEventListener("dragleave", () => root.classList.remove("cc-live-over"));
  root.addEventListener("drop", (event) => {
    event.preventDefault();
    root.classList.remove("cc-live-over");
    const { files } = event.dataTransfer;
    if (files.length) fromFiles([...files]);
    else from(async () => parse(event.dataTransfer.getData("text/plain")));
  });
}

function one() {
  throw new TableError("Several files were dropped: give one at a time.");
}
