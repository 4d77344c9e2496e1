import type { BuildsDeps } from './deps.ts';
import type { ServerBuild } from '../core/ports.ts';

/** Reads an entry of the queue with its server; null where it is gone. */
export type BuildReader = (id: string) => Promise<ServerBuild | null>;

/**
 * Reads builds: those that are asked for at the same time, as all that one lease took are, share one question. In: the
 * unit of work. Out: the reader of one.
 */
export function createBuildReader({ uow }: Pick<BuildsDeps, 'uow'>): BuildReader {
  let ids: string[] = [];
  let reading: Promise<ReadonlyMap<string, ServerBuild>> | null = null;

  async function readAsked(): Promise<ReadonlyMap<string, ServerBuild>> {
    // Whoever asks before this goes on is among them.
    await Promise.resolve();
    const asked = ids;
    [ids, reading] = [[], null];
    const builds = await uow.read((tx) => tx.servers.findBuilds(asked));
    return new Map(builds.map((build) => [build.entry.id, build]));
  }
  return async (id) => {
    ids.push(id);
    reading ??= readAsked();
    return (await reading).get(id) ?? null;
  };
}
