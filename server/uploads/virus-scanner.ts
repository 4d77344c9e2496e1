import { connect } from 'node:net';
import type { Log } from '#server/modules/kernel.ts';
import { defineCheck, span } from '#server/modules/health/index.ts';
import type { FileScanner } from '#server/modules/tickets/index.ts';
import type { SettingValues } from '#shared/settings.ts';
import { SECOND } from '#shared/time.ts';

/** Longest wait for a scanner's answer: it reads five megabytes at most. */
const LIMIT_MS = 15 * SECOND;
/** Bytes of an answer that are read: it is a line. */
const ANSWER_MAX = 4096;

interface Deps {
  readonly settings: { current(): Pick<SettingValues, 'virus_scanner'> };
}
interface Options {
  readonly limitMs?: number;
}

/**
 * Has files looked at by the ClamAV daemon that the setting `virus_scanner` names (attacks T43). Its function never
 * throws: without a setting every file is clean, and a daemon that does not answer with one of its two verdicts is
 * away.
 */
export function createVirusScanner(
  { settings, log }: Deps & { readonly log: Log },
  options: Options = {},
): FileScanner {
  return async (file) => {
    const address = settings.current().virus_scanner;
    if (address === '') return 'clean';
    try {
      const length = new Uint8Array(4);
      new DataView(length.buffer).setUint32(0, file.byteLength);
      // The end of a stream is a part without bytes.
      const answer = await ask(address, ['zINSTREAM\0', length, file, new Uint8Array(4)], options);
      if (answer === 'stream: OK') return 'clean';
      if (answer.startsWith('stream: ') && answer.endsWith(' FOUND')) {
        log.warn('attachments.infected', { found: answer.slice(8, -6).slice(0, 100) });
        return 'infected';
      }
      throw new Error(answer.slice(0, 200));
    } catch (error) {
      log.warn('attachments.scanner_away', { said: String(error) });
      return 'away';
    }
  };
}

/** Whether the scanner of attachments answers. */
export function virusScannerCheck({ settings }: Deps, options: Options = {}) {
  return defineCheck({
    key: 'virusScanner',
    codes: { ok: 'ok', off: 'ok', away: 'warning' },
    async run() {
      const address = settings.current().virus_scanner;
      if (address === '') return { code: 'off' };
      const started = performance.now();
      const answer = await ask(address, ['zPING\0'], options).catch(() => null);
      if (answer !== 'PONG') return { code: 'away' };
      return { code: 'ok', facts: { took: span(performance.now() - started) } };
    },
  });
}

/** Says something to a daemon. In: `host:port`. Out: its answer, without the zero at its end. Throws where none came. */
function ask(
  address: string,
  parts: readonly (string | Uint8Array)[],
  { limitMs = LIMIT_MS }: Options,
): Promise<string> {
  const colon = address.lastIndexOf(':');
  const host = address.slice(0, colon).replace(/^\[(.*)\]$/, '$1');
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(address.slice(colon + 1)) });
    let answer = '';
    const end = (settle: () => void): void => {
      clearTimeout(late);
      socket.destroy();
      settle();
    };
    const late = setTimeout(() => end(() => reject(new Error('no answer in time'))), limitMs);
    socket.setEncoding('latin1');
    socket.on('connect', () => {
      for (const part of parts) socket.write(part);
    });
    socket.on('data', (text: string) => {
      answer += text;
      const zero = answer.indexOf('\0');
      if (zero >= 0) end(() => resolve(answer.slice(0, zero)));
      else if (answer.length > ANSWER_MAX) end(() => reject(new Error('an answer without end')));
    });
    socket.on('error', (error) => end(() => reject(error)));
    socket.on('close', () => end(() => reject(new Error('the connection was closed'))));
  });
}
