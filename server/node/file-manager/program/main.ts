import type { ProgramCall, ProgramInput } from '../calls.ts';
import { encodeFrame, framesOf } from '../frame.ts';
import { openBin } from './bin.ts';
import { list, makeFolder, move, openText, part, save } from './files.ts';
import { openPlaces, refusalOf } from './places.ts';
import { openUploads } from './uploads.ts';
import { openUsage } from './usage.ts';
import { pack, unpack } from './zip.ts';

/**
 * The program that works on the files of one server, inside that server's sandbox and as its user. Calls come over the
 * standard input and answers leave over the standard output, as frames; it ends with its input.
 */

/** A call, as the node checked it. */
interface Call {
  readonly no: number;
  readonly call: ProgramCall;
  readonly input: unknown;
  /** Bytes that the server's files may take. */
  readonly limit: number;
}
interface Result {
  readonly value: unknown;
  readonly bytes?: Uint8Array | undefined;
}

async function openCalls(folder: string, now: () => number) {
  const places = await openPlaces(folder);
  const tools = { places, usage: openUsage(places.home) };
  const uploads = openUploads(tools);
  const bin = openBin(tools, now);
  const tidy = async () => {
    await uploads.tidy(now());
    await bin.tidy();
  };
  // What cannot be tidied now is tidied when the program begins the next time.
  void tidy().catch(() => undefined);
  const answer = async (value: Promise<unknown>): Promise<Result> => ({ value: await value });

  return ({ call, input, limit }: Call, bytes: Uint8Array): Promise<Result> => {
    const of = <N extends ProgramCall>(_name: N) => input as ProgramInput<N>;
    switch (call) {
      case 'list':
        return answer(list(tools, of(call), limit));
      case 'open':
        return openText(tools, of(call));
      case 'save':
        return answer(save(tools, of(call), { bytes, limit }));
      case 'part':
        return part(tools, of(call));
      case 'makeFolder':
        return answer(makeFolder(tools, of(call)));
      case 'move':
        return answer(move(tools, of(call)));
      case 'received':
        return answer(uploads.received(of(call)));
      case 'receive':
        return answer(uploads.receive(of(call), { bytes, limit }));
      case 'discard':
        return answer(uploads.discard(of(call)));
      case 'pack':
        return answer(pack(tools, of(call), limit));
      case 'unpack':
        return answer(unpack(tools, of(call), limit));
      case 'delete':
        return answer(bin.delete(of(call)));
      case 'bin':
        return answer(bin.entries());
      case 'restore':
        return answer(bin.restore(of(call)));
      case 'empty':
        return answer(bin.empty(of(call)));
      case 'configure':
        // Loaded when it is asked for: no other call waits for its parsers.
        return answer(import('./configure.ts').then(({ configure }) => configure(tools, of(call), limit)));
    }
  };
}

const carryOut = await openCalls(process.argv[2] ?? '.', () => Date.now());
let writing: Promise<unknown> = Promise.resolve();
const output = Bun.stdout.writer();
async function write(before: Promise<unknown>, frame: Uint8Array): Promise<void> {
  await before;
  await output.write(frame);
  await output.flush();
}
const send = (head: unknown, bytes: Uint8Array = new Uint8Array()): void => {
  writing = write(writing, encodeFrame({ head, bytes }));
};
for await (const { head, bytes } of framesOf(Bun.stdin.stream())) {
  const call = head as Call;
  carryOut(call, bytes).then(
    ({ value, bytes: answered }) => send({ no: call.no, value }, answered),
    (error: unknown) => send({ no: call.no, reason: refusalOf(error), fault: String(error).slice(0, 300) }),
  );
}
process.exit(0);
