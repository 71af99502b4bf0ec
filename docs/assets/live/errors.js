// The complaint that a reader of the page can act on: one sentence that says what is wrong, where, and what to do.
export class InputError extends Error {
  name = "InputError";
}
