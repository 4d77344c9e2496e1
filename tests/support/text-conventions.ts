import type { Source } from './sources.ts';
import { wordsIn } from './texts.ts';
import { EVENTS } from '#server/modules/events/index.ts';
import { SOURCE_NAMES } from '#shared/earning-sources.ts';
import { HEALTH_CHECKS } from '#shared/health.ts';
import { ERRORS, FIELD_CODES } from '#shared/errors.ts';
import { PERMISSIONS } from '#shared/permissions.ts';
import { RESOURCES } from '#shared/resources/index.ts';
import type { AnyResource } from '#shared/resources/types.ts';
import { ROUTE_LIST } from '#shared/routes/table.ts';
import { SETTING_GROUPS, type SettingRow } from '#shared/setting-rows.ts';
import { LEAST_UNLESS_OFF } from '#shared/setting-gaps.ts';
import { SETTINGS } from '#shared/settings.ts';
import { NEXT_STEPS, QUEUE_STEPS, SERVER_EVENTS, SERVER_FAILURES } from '#shared/server-codes.ts';
import { STATEMENT_KINDS } from '#shared/statement.ts';

/** Keys that the code puts together from values it knows, instead of writing them out. */
export interface Convention {
  readonly ns: string;
  readonly what: string;
  readonly keys: RegExp;
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
const oneOf = (values: Iterable<string>) => `(?:${[...new Set(values)].map(escaped).join('|')})`;
const oneOfPatterns = (patterns: readonly string[]) => `(?:${patterns.join('|')})`;
const whole = (pattern: string) => new RegExp(`^${pattern}$`);
const dashed = (id: string) => id.replaceAll('.', '_');

/** Kinds of notification that an event declares. */
const eventNotifications = () =>
  Object.values(EVENTS).flatMap(({ notifications = [] }) => notifications.map(({ kind }) => kind));

const settingRows = Object.entries<SettingRow>(SETTINGS);
const asking = () => settingRows.flatMap(([key, { asks }]) => (asks ? [key] : []));
const units = () => settingRows.flatMap(([, row]) => (row.type === 'number' ? [row.unit] : []));
const choices = () => settingRows.flatMap(([, row]) => (row.type === 'text' ? (row.choices ?? []) : []));
/** What the settings of every link provider end with. */
const linkParts = () => settingRows.flatMap(([key]) => /^link_shareus_(.*)$/.exec(key)?.[1] ?? []);

/** Every convention of the product. Each is made from the list that the code reads too, and has to match a text. */
export function conventions(sources: readonly Source[]): Convention[] {
  const routes = ROUTE_LIST.map(({ id }) => dashed(id));
  const inServer = new Set(
    sources.filter(({ path }) => path.startsWith('server/')).flatMap(({ tree }) => [...wordsIn(tree).strings]),
  );
  return [
    { ns: 'errors', what: 'error codes', keys: whole(oneOf(Object.keys(ERRORS))) },
    { ns: 'errors', what: 'codes of fields', keys: whole(`field\\.${oneOf(FIELD_CODES)}`) },
    { ns: 'discord', what: 'events and their fields', keys: /^[a-z\d]+\.[a-z\d_]+$/ },
    { ns: 'shell', what: 'titles of routes', keys: whole(oneOf(ROUTE_LIST.map(({ title }) => title))) },
    { ns: 'shell', what: 'groups of the navigation', keys: whole('nav\\.[a-z]+') },
    { ns: 'shell', what: 'names in the navigation', keys: whole(`(?:navItem|navShort)\\.${oneOf(routes)}`) },
    { ns: 'shell', what: 'notifications of events', keys: whole(`notification\\.${oneOf(eventNotifications())}`) },
    {
      ns: 'statement',
      what: 'explanations of movements',
      keys: whole(`(?:why|whyIn|whyOut)\\.${oneOf([...Object.keys(STATEMENT_KINDS), 'other'])}`),
    },
    { ns: 'account', what: 'kinds of movements', keys: whole(`kind\\.${oneOf(inServer)}`) },
    {
      ns: 'sources',
      what: 'words of earning sources',
      keys: whole(`${oneOf(SOURCE_NAMES)}\\.(?:name|reward|why|open|settings\\.\\w+\\.(?:label|help))`),
    },
    { ns: 'dashboard', what: 'proposals', keys: whole(`(?:next|nextText)\\.${oneOf(NEXT_STEPS)}`) },
    { ns: 'health', what: 'what checks find', keys: whole(`check\\.${oneOf(HEALTH_CHECKS)}\\.\\w+`) },
    { ns: 'health', what: 'findings of every check', keys: whole('(?:failed|late)(?:Do)?') },
    { ns: 'health', what: 'names of jobs', keys: whole('task\\.\\w+') },
    { ns: 'servers', what: 'events of servers', keys: whole(`event\\.${oneOf(SERVER_EVENTS)}`) },
    { ns: 'servers', what: 'steps of the queue', keys: whole(`step\\.${oneOf(QUEUE_STEPS)}`) },
    { ns: 'servers', what: 'failures', keys: whole(`failure\\.${oneOf(SERVER_FAILURES)}`) },
    {
      ns: 'permissions',
      what: 'names and descriptions',
      keys: whole(`${oneOf(PERMISSIONS.map(({ constant }) => constant))}\\.(?:label|text)`),
    },
    {
      ns: 'permissions',
      what: 'categories',
      keys: whole(`category\\.${oneOf(PERMISSIONS.map(({ category }) => category))}`),
    },
    {
      ns: 'settings',
      what: 'labels and help of settings',
      keys: whole(`${oneOf(Object.keys(SETTINGS))}\\.(?:label|help)`),
    },
    {
      ns: 'settings',
      what: 'bounds of what is off at 0',
      keys: whole(`${oneOf(Object.keys(LEAST_UNLESS_OFF))}\\.bounds`),
    },
    { ns: 'settings', what: 'groups', keys: whole(`group\\.${oneOf(SETTING_GROUPS)}\\.(?:label|help)`) },
    { ns: 'settings', what: 'questions before a change', keys: whole(`asks\\.${oneOf(asking())}`) },
    {
      ns: 'settings',
      what: 'units and choices',
      keys: whole(`(?:(?:unit|amount)\\.${oneOf(units())}|choice\\.${oneOf(choices())})`),
    },
    {
      ns: 'settings',
      what: 'texts of every source and every provider',
      keys: whole(`every\\.(?:generic|enabled|daily_(?:cap|budget)|link_${oneOf(linkParts())})\\.(?:label|help)`),
    },
    {
      ns: 'mail',
      what: 'parts of mails',
      keys: whole(
        '(?:greeting|answerAbove|filesLeftOut|fallback|footer|help|unsubscribe|choose|credits|pushTest|[a-zA-Z]+\\.(?:subject|body|button)|example\\.[a-z]+)',
      ),
    },
    { ns: 'resources', what: 'parts of areas', keys: whole(oneOfPatterns(Object.values(RESOURCES).map(parts))) },
    { ns: 'resources', what: 'screens of areas', keys: whole(said(sources)) },
    ...Object.values(RESOURCES).flatMap((definition) => [
      { ns: `areas/${definition.area}`, what: 'what its definition asks for', keys: whole(parts(definition)) },
      { ns: `areas/${definition.area}`, what: 'what screens ask for', keys: whole(said(sources)) },
    ]),
  ];
}

/** What the definition of an area asks for: fields, columns, hints, values and so on. */
function parts({ columns, fields, groups, dependants, filters }: AnyResource): string {
  const names = [...Object.keys(columns), ...Object.keys(fields), ...Object.keys(filters)];
  const stamps = ['created_at', 'updated_at', 'created_by'];
  return `(?:${[
    `fields\\.${oneOf([...names, ...stamps])}`,
    `columns\\.${oneOf(Object.keys(columns))}`,
    `hints\\.${oneOf(Object.keys(fields))}`,
    `errors\\.${oneOf(Object.keys(fields))}(?:_[a-z_]+)?_${oneOf(FIELD_CODES)}`,
    `(?:groups|groupHints)\\.${oneOf(Object.keys(groups))}`,
    `(?:dependants|dependantHints)\\.${oneOf(Object.keys(dependants))}`,
    `values\\.(?:${oneOf(names)}_)?(?:true|false|[a-z]+)`,
  ].join('|')})`;
}

/** What the screens of areas ask for in so many words: `text('emptyTitle')`, `text(`saved.${what}`)`. */
function said(sources: readonly Source[]): string {
  const words = sources
    .filter(({ path }) => /^client\/(resource|features\/admin)\//.test(path))
    .map(({ tree }) => wordsIn(tree));
  const strings = words.flatMap((each) => [...each.strings]).filter((text) => /^[a-zA-Z.]+$/.test(text));
  const templates = words.flatMap((each) => each.templates).map(({ source }) => source.slice(1, -1));
  return `(?:${[oneOf(strings), ...templates].join('|')})`;
}
