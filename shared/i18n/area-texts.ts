/**
 * The file of an admin area's texts in one language (`locales/<locale>/areas/<area>.json`). Three parts of it are used
 * elsewhere too, and go into other namespaces: `pages` into `shell` as `title.<area>.<operation>`, `activity` into
 * `admin` as `activity.<area>_<operation>`, `permissions` into `permissions` as it is.
 */
interface AreaTexts {
  readonly pages?: object;
  readonly activity?: object;
  readonly permissions?: object;
}
type Texts = Readonly<Record<string, unknown>>;

/**
 * Assembles the texts of a language as pages load them. In: the files by namespace, and those of the areas by area.
 * Out: texts by namespace; an area's own are `areas/<area>`.
 */
export function assembleTexts(files: Readonly<Record<string, object>>, areas: Readonly<Record<string, AreaTexts>>) {
  const all: Record<string, Texts> = Object.fromEntries(Object.entries(files).map(([ns, texts]) => [ns, { ...texts }]));
  const add = (ns: string, texts: Texts): void => void (all[ns] = merged(all[ns] ?? {}, texts));
  for (const [area, { pages, activity, permissions, ...own }] of Object.entries(areas)) {
    add(`areas/${area}`, own);
    add('shell', { title: { [area]: pages ?? {} } });
    add('admin', {
      activity: Object.fromEntries(
        Object.entries(activity ?? {}).map(([operation, text]) => [`${area}_${operation}`, text]),
      ),
    });
    add('permissions', { ...permissions });
  }
  return all;
}

function merged(one: Texts, other: Texts): Texts {
  const result: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const before = result[key];
    result[key] = isTexts(before) && isTexts(value) ? merged(before, value) : value;
  }
  return result;
}
const isTexts = (value: unknown): value is Texts => typeof value === 'object' && value !== null;
