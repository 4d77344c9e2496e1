import type { EggVariable } from '#shared/schemas/egg.ts';

const PARTS = ['env', 'name', 'description', 'default_value', 'rules'] as const;

/** An empty variable. */
export const BLANK_VARIABLE: EggVariable = {
  env: '',
  name: '',
  description: '',
  default_value: '',
  rules: 'required|string',
  user_editable: true,
};

/**
 * The variables that the plain fields `variables.<n>.<part>` of a form hold, in their order. A row whose key, name and
 * default are empty is dropped: that is how one is removed without scripts.
 */
export function readVariables(entries: Iterable<readonly [string, unknown]>): EggVariable[] {
  const rows = new Map<number, Record<string, string>>();
  for (const [name, value] of entries) {
    const found = /^variables\.(\d{1,4})\.(\w+)$/.exec(name);
    if (!found || typeof value !== 'string') continue;
    const at = Number(found[1]);
    rows.set(at, { ...rows.get(at), [found[2] ?? '']: value });
  }
  return [...rows]
    .sort(([a], [b]) => a - b)
    .map(([, row]) => ({
      ...(Object.fromEntries(PARTS.map((part) => [part, row[part] ?? ''])) as Record<(typeof PARTS)[number], string>),
      user_editable: row.user_editable === 'on',
    }))
    .filter(({ env, name, default_value }) => [env, name, default_value].some((text) => text.trim() !== ''));
}

/** The initial rows: those to restore after a refusal, otherwise those of the egg. */
export function initialRows(values: Readonly<Record<string, string>>, value: unknown): readonly EggVariable[] {
  if (Object.keys(values).length > 0) return readVariables(Object.entries(values));
  return Array.isArray(value) ? (value as EggVariable[]) : [];
}
