// The network in the page: ONNX Runtime on WebAssembly, from this site's own folder and from no other host.
import { Mixture } from "./density.js";

const RUNTIME = "ort/ort.wasm.bundle.min.mjs";
const ENGINE = "ort/ort-wasm-simd-threaded.wasm";
const BYTES = 15.2e6; // of all that is fetched, unpacked; only for the progress

// base is the address of this folder, ending in "/"; onProgress(share) is told the share that has arrived, 0 to 1.
export async function load(base, onProgress = () => {}) {
  const home = new URL(base, document.baseURI);
  let arrived = 0;
  const more = bytes => onProgress(Math.min(0.99, (arrived += bytes) / BYTES));
  const [ort, engine, network, meta] = await Promise.all([
    import(new URL(RUNTIME, home).href),
    bytes(new URL(ENGINE, home), more),
    bytes(new URL("model.onnx", home), more),
    bytes(new URL("meta.json", home), more).then(text => JSON.parse(new TextDecoder().decode(text))),
  ]);
  ort.env.wasm.numThreads = 1; // more would need headers that a plain host of files does not send
  ort.env.wasm.wasmBinary = engine.buffer; // in hand, so that the runtime looks for no file by itself
  const session = await ort.InferenceSession.create(network, { executionProviders: ["wasm"] });
  onProgress(1);
  return new Model(session, ort.Tensor, meta);
}

async function bytes(url, more) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} cannot be fetched: ${answer.status}`);
  const parts = [];
  for (const reader = answer.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    parts.push(value);
    more(value.length);
  }
}

export class Model {
  constructor(session, Tensor, meta) {
    this.session = session;
    this.Tensor = Tensor;
    this.meta = meta;
    this.borders = Float32Array.from(meta.borders); // as the network has them
  }

  // One context x, y and later epochs xq -> a density for each of them.
  async ask(x, y, xq) {
    return (await this.askMany([x], [y], [xq]))[0];
  }

  // Several contexts of equal length (B, T), (B, T), (B, Q) -> B rows of Q densities.
  async askMany(xs, ys, xqs) {
    const out = await this.session.run({
      x: this.tensor(xs),
      y: this.tensor(ys),
      x_query: this.tensor(xqs),
    });
    const [log_w, mean, scale] = [out.log_w, out.mean, out.scale].map(tensor => tensor.data);
    const [, Q, M] = out.mean.dims;
    return xqs.map((row, b) => row.map((_, q) => {
      const at = (b * Q + q) * M;
      const [w, m, s] = [log_w, mean, scale].map(all => all.subarray(at, at + M));
      return new Mixture(w, m, s, this.borders);
    }));
  }

  tensor(rows) {
    return new this.Tensor("float32", Float32Array.from(rows.flat()), [rows.length, rows[0].length]);
  }
}
