// One inference at a time, and the latest input wins: what came while one was running is skipped but for the last.
//
//   work(input, outdated): outdated() is true as soon as something newer waits

export function latest(work) {
  let running = false;
  let waiting = [];
  return async (input) => {
    waiting = [input];
    if (running) return;
    running = true;
    while (waiting.length) await work(waiting.pop(), () => waiting.length > 0);
    running = false;
  };
}
