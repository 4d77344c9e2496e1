import type { ConfigFile } from '#shared/config-files.ts';
import { gatewayOf } from './sandbox/network.ts';
import type { Spec } from './store.ts';

/** Longest text of a setting when its placeholders are filled in; what is longer is cut. */
const MOST = 2000;

type Values = (name: string) => string | undefined;

/** What placeholders of a server stand for, by the names that panels have for them. */
function valuesOf({ id, memory, disk, cpu, ports, environment }: Spec, slot: number): Values {
  const values = new Map(
    Object.entries({
      'server.uuid': id,
      'server.build.default.ip': '0.0.0.0',
      'server.build.default.port': String(ports[0]),
      'server.build.memory': String(memory),
      'server.build.memory_limit': String(memory),
      'server.build.disk': String(disk),
      'server.build.disk_space': String(disk),
      'server.build.cpu': String(cpu),
      'server.build.cpu_limit': String(cpu),
      'config.docker.interface': gatewayOf(slot),
      'config.docker.network.interface': gatewayOf(slot),
    }),
  );
  // None of its own takes the place of what every server has.
  const variables = new Map(
    Object.entries({
      ...environment,
      SERVER_IP: '0.0.0.0',
      SERVER_PORT: String(ports[0]),
      SERVER_MEMORY: String(memory),
    }),
  );
  return (name) => {
    const variable = /^(?:server\.build\.env|server\.environment|env)\.(?<variable>\w+)$/.exec(name)?.groups?.variable;
    // One that it does not have is empty.
    if (variable !== undefined) return variables.get(variable) ?? '';
    return values.get(name.replace(/^server\.allocations\./, 'server.build.'));
  };
}

/**
 * Configuration files of a server with the placeholders of their values filled in (`{{server.build.default.port}}`);
 * one that nobody knows stays as it is. What comes in their place is a value, and is not looked at for placeholders
 * again.
 */
export function fillConfigFiles(files: readonly ConfigFile[], spec: Spec, slot: number): ConfigFile[] {
  const valueOf = valuesOf(spec, slot);
  const fill = (text: string): string =>
    text.replaceAll(/\{\{\s*([\w.]+)\s*\}\}/g, (whole, name: string) => valueOf(name) ?? whole).slice(0, MOST);
  return files.map((file) => ({
    ...file,
    settings: file.settings.map((each) => ({
      ...each,
      value: typeof each.value === 'string' ? fill(each.value).toWellFormed() : each.value,
    })),
  }));
}
