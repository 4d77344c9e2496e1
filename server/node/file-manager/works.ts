import { FILE_CALLS, type FileWork } from '#shared/schemas/server-files.ts';
import { MINUTE } from '#shared/time.ts';
import type { FileAnswer, FileRequest, FilesProgram } from './process.ts';

/** Packing and unpacking take longer than other calls; so many at once, and one of a server. */
const WORK_MS = 20 * MINUTE;
const MOST_WORKS = 2;

const isRunning = (work: FileWork | undefined): boolean => work?.state === 'running';

/** What goes on after its call was answered: no request waits for so long. */
export function createWorks() {
  /** What each server has packed or unpacked last. */
  const works = new Map<string, FileWork>();
  return {
    of: (id: string): FileWork | undefined => works.get(id),
    forget: (id: string): void => void works.delete(id),
    /** Has something packed or unpacked. `refused` while the server's last is not over, `conflict` while others work. */
    begin(program: FilesProgram, id: string, request: FileRequest): FileAnswer {
      const { call } = request;
      if (isRunning(works.get(id))) return { outcome: 'refused', reason: 'working' };
      if ([...works.values()].filter(isRunning).length >= MOST_WORKS) return { outcome: 'conflict' };
      if (call !== 'pack' && call !== 'unpack') throw new Error(`${call} is no work`);
      const work = { call, to: FILE_CALLS[call].input.parse(request.input).to };
      works.set(id, { ...work, state: 'running', reason: null });
      const follow = async (): Promise<void> => {
        const answer = await program.ask(request, WORK_MS);
        // Whoever ended the program forgot its work.
        if (!works.has(id)) return;
        const reason = answer.outcome === 'refused' ? answer.reason : null;
        works.set(id, { ...work, state: answer.outcome === 'ok' ? 'done' : 'failed', reason });
      };
      void follow();
      return { outcome: 'ok', value: null, bytes: new Uint8Array() };
    },
  };
}
