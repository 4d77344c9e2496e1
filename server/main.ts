import { run } from './cli/run.ts';

/**
 * Threads are named here: in the binary their files are found from its main entry alone, and the build takes each of
 * them as an entry of its own (scripts/build.ts).
 */
const parts = {
  spawnReader: () => new Worker(new URL('./data/reader/reader.worker.ts', import.meta.url)),
  spawnDrawing: () => new Worker(new URL('./images/picture.worker.ts', import.meta.url)),
  spawnMailReading: () => new Worker(new URL('./mail/read.worker.ts', import.meta.url)),
  spawnSandbox: () => new Worker(new URL('./plugins/sandbox.worker.ts', import.meta.url)),
  spawnPackageReading: () => new Worker(new URL('./plugins/package.worker.ts', import.meta.url)),
  spawnHashing: () => new Worker(new URL('./identity-providers/hash.worker.ts', import.meta.url)),
};

process.exitCode = await run(process.argv.slice(2), parts);
