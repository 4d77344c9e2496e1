import type { UnitOfWork } from '../tx.ts';
import type { PluginRegistry } from './registry.ts';

interface Deps {
  readonly uow: UnitOfWork;
  readonly registry: Pick<PluginRegistry, 'installed' | 'onLoad'>;
}
/** The module of a plugin for browsers. */
interface ClientModule {
  readonly identifier: string;
  /** Another one with each version of the package. */
  readonly version: string;
}
export type ClientModules = ReturnType<typeof createClientModules>;

/** Modules of installed plugins that run in every visitor's browser, where an owner granted that (behaviour 8.8). */
export function createClientModules({ uow, registry }: Deps) {
  /** By identifier and version: code is read once for each. */
  const codes = new Map<string, string>();
  registry.onLoad(() => codes.clear());

  /** Of the plugins that are on, in the order in which they are listed. */
  const list = (): ClientModule[] =>
    registry
      .installed()
      .filter(({ granted, manifest }) => granted.client && manifest.client !== undefined)
      .map(({ identifier, digest }) => ({ identifier, version: digest.slice(0, 20) }));

  /** The code of one of them with its version; null: no such module runs in browsers. */
  async function find(identifier: string): Promise<{ readonly code: string; readonly version: string } | null> {
    const found = list().find((each) => each.identifier === identifier);
    if (!found) return null;
    const key = `${identifier} ${found.version}`;
    const code = codes.get(key) ?? (await uow.read((tx) => tx.pluginPackages.modules(identifier)))?.clientCode;
    if (code === undefined) return null;
    codes.set(key, code);
    return { code, version: found.version };
  }

  return { list, find };
}
