import * as z from 'zod/mini';
import {
  CONFIG_PARSERS,
  configFile,
  configFiles,
  type ConfigFile,
  type ConfigParser,
  type ConfigSetting,
} from '#shared/config-files.ts';
import { EGG_FILE_FORMATS, type EggFileEngine, type EggFileFormat, type EggFileReason } from '#shared/egg-files.ts';
import { eggContainer, MAX_INSTALL_SCRIPT, type EggContainer } from '#shared/engine.ts';
import { uncheckedRules } from '#shared/egg-rules.ts';
import { DomainError, fieldError } from '#shared/errors.ts';
import { dockerImage, MAX_VARIABLES, type EggVariable } from '#shared/schemas/egg.ts';
import { iso } from '#shared/time.ts';
import { writeAudit } from '../audit/index.ts';
import type { SignedIn } from '../kernel.ts';
import type { PanelsDeps } from './deps.ts';
import { oneLine, toBlock } from './import.ts';

/**
 * Files of eggs as Pterodactyl (PTDL_v1, PTDL_v2; JSON) and Pelican (PLCN_v1 to v3; JSON, v3 also YAML) write them.
 * They come from strangers: each field has a bound, and what is not read stays out.
 */
const text = (max: number) => z.string().check(z.maxLength(max));
const scalar = z.pipe(
  z.nullish(z.union([text(1000), z.number(), z.boolean()])),
  z.transform((value) => (value === true ? '1' : value === false ? '0' : String(value ?? ''))),
);
const scalarOrFlag = z.union([text(20_000), z.number(), z.boolean()]);
const labels = z.record(text(255), text(4000));
const images = z.union([labels, z.array(text(255))]);
/** A value that PTDL writes as JSON inside a text, and PLCN as it is. */
const inner = <T>(schema: z.ZodMiniType<T>) =>
  z.pipe(
    z.nullish(z.unknown()),
    z.transform((value): T | null => {
      let read: unknown = value;
      if (typeof value === 'string') {
        try {
          read = JSON.parse(value);
        } catch {
          return null;
        }
      }
      const parsed = schema.safeParse(read);
      return parsed.success ? parsed.data : null;
    }),
  );
/** What a setting is set to, or what by what stands there. */
const found = z.union([scalarOrFlag, z.record(text(1000), scalarOrFlag)]);
const file = z.object({
  meta: z.object({ version: z.enum(EGG_FILE_FORMATS) }),
  name: text(255).check(z.trim(), z.minLength(1)),
  description: z.nullish(text(20_000)),
  image: z.nullish(text(255)),
  images: z.nullish(images),
  docker_images: z.nullish(images),
  startup: z.nullish(text(20_000)),
  startup_commands: z.nullish(z.union([labels, z.array(text(20_000))])),
  config: z.nullish(
    z.object({
      files: inner(z.record(text(1000), z.object({ parser: z.string(), find: z.optional(z.unknown()) }))),
      stop: z.nullish(text(1000)),
      startup: inner(z.object({ done: z.nullish(z.union([text(1000), z.array(text(1000))])) })),
    }),
  ),
  scripts: z.nullish(
    z.object({
      installation: z.nullish(
        z.object({
          script: z.nullish(text(1_000_000)),
          container: z.nullish(text(255)),
          entrypoint: z.nullish(text(255)),
        }),
      ),
    }),
  ),
  variables: z.nullish(
    z
      .array(
        z.object({
          name: text(1000),
          description: z.nullish(text(20_000)),
          env_variable: text(191),
          default_value: scalar,
          user_viewable: z.nullish(z.union([z.boolean(), z.number()])),
          user_editable: z.nullish(z.union([z.boolean(), z.number()])),
          rules: z.pipe(
            z.nullish(z.union([text(2000), z.array(text(2000))])),
            z.transform((value) => (Array.isArray(value) ? value.join('|') : (value ?? ''))),
          ),
        }),
      )
      .check(z.maxLength(200)),
  ),
});
type EggFile = z.infer<typeof file>;

/** Longest texts of ours; what a file says at greater length is cut. Commands, defaults and rules never are. */
const NAME = 60;
const DESCRIPTION = 255;
const STARTUP = 2000;
/** Names of variables that servers have here. */
const ENV = /^[A-Z][A-Z0-9_]{0,63}$/;
const MACHINE_IMAGE = 'spawnpoint/';
const recipeNamed = (image: string) => image.startsWith(MACHINE_IMAGE);
/** Games that this machine has a recipe for, by what their eggs are called. */
const GAMES: readonly (readonly [RegExp, string])[] = [
  [/\bpaper\b/i, 'minecraft-paper'],
  [/\bpurpur\b/i, 'minecraft-purpur'],
  [/\bfabric\b/i, 'minecraft-fabric'],
  [/\bvelocity\b/i, 'minecraft-velocity'],
  [/\bvanilla minecraft\b/i, 'minecraft-vanilla'],
  [/^(?:terraria|vanilla terraria|terraria vanilla)$/i, 'terraria'],
  [/\bfactorio\b/i, 'factorio'],
  [/\bmindustry\b/i, 'mindustry'],
];

/** What reading files needs: kinds of servers of this machine, and a reader of YAML, which throws where it is none. */
export interface EggFileDeps {
  readonly recipes: readonly string[];
  readonly parseYaml: (text: string) => unknown;
  /** Whether this machine has an engine that runs images. */
  readonly runsImages: () => boolean;
}

/** Reads a file of an egg: JSON, else YAML. Throws EGG_FILE_UNREADABLE, EGG_FILE_FORMAT. */
function parse(content: string, parseYaml: EggFileDeps['parseYaml']): EggFile {
  let value: unknown;
  try {
    value = /^\s*\{/.test(content) ? JSON.parse(content) : parseYaml(content);
  } catch {
    throw new DomainError('EGG_FILE_UNREADABLE');
  }
  const version = z.object({ meta: z.object({ version: z.string() }) }).safeParse(value);
  if (!version.success) throw new DomainError('EGG_FILE_UNREADABLE');
  if (!(EGG_FILE_FORMATS as readonly string[]).includes(version.data.meta.version))
    throw new DomainError('EGG_FILE_FORMAT');
  const read = file.safeParse(value);
  if (!read.success) throw new DomainError('EGG_FILE_UNREADABLE');
  return read.data;
}

function imagesOf({ docker_images: labelled, images: older, image }: EggFile): string[] {
  const all = [...Object.values(labelled ?? {}), ...Object.values(older ?? {}), ...(image ? [image] : [])];
  return [...new Set(all.map((each) => each.trim().replace(/^~/, '')))].filter(
    (each) => dockerImage.safeParse(each).success,
  );
}

const isOn = (value: boolean | number | null | undefined) => value === true || value === 1;
function variablesOf({ variables }: EggFile): EggVariable[] {
  const seen = new Set<string>();
  return (variables ?? [])
    .filter(({ env_variable: env }) => ENV.test(env) && !seen.has(env) && seen.add(env))
    .slice(0, MAX_VARIABLES)
    .map((each) => ({
      env: each.env_variable,
      name: oneLine(each.name, NAME) || each.env_variable,
      description: oneLine(each.description ?? '', DESCRIPTION),
      default_value: each.default_value.replaceAll(/[\r\n]+/g, ' '),
      rules: each.rules.replaceAll(/[\r\n]+/g, ''),
      user_editable: isOn(each.user_viewable) && isOn(each.user_editable),
    }));
}

const finds = z.record(text(1000), found);
const plain = (value: string | number | boolean) => (typeof value === 'boolean' ? value : String(value));
const parserOf = (parser: string): ConfigParser | null =>
  CONFIG_PARSERS.find((each) => each === parser.replace(/^yml$/, 'yaml')) ?? null;
/** A configuration file as it is written here; null where it cannot be. */
function toConfigFile(path: string, { parser, find }: { parser: string; find?: unknown }): ConfigFile | null {
  const read = finds.safeParse(Array.isArray(find) ? {} : (find ?? {}));
  if (!read.success) return null;
  const made = configFile.safeParse({
    path: path.replace(/^(?:\.?\/)+/, ''),
    parser: parserOf(parser),
    settings: Object.entries(read.data).flatMap(([key, value]): ConfigSetting[] =>
      typeof value === 'object'
        ? Object.entries(value).map(([was, to]) => ({ key, value: plain(to), was }))
        : [{ key, value: plain(value), was: null }],
    ),
  });
  return made.success ? made.data : null;
}
/** Those that can be written here, as far as they fit. */
function configFilesOf({ config }: EggFile): ConfigFile[] {
  const kept: ConfigFile[] = [];
  for (const [path, each] of Object.entries(config?.files ?? {})) {
    const made = toConfigFile(path, each);
    if (made && configFiles.safeParse([...kept, made]).success) kept.push(made);
  }
  return kept;
}

/** Older files speak of the server in other words than those that a start command has here. */
const startupOf = ({ startup, startup_commands: commands }: EggFile): string =>
  (Object.values(commands ?? {})[0] ?? startup ?? '')
    .replaceAll(/\{\{\s*server\.(?:build|allocations)\.(?:default\.)?memory\s*\}\}/g, '{{SERVER_MEMORY}}')
    .replaceAll(/\{\{\s*server\.(?:build|allocations)\.default\.port\s*\}\}/g, '{{SERVER_PORT}}')
    .replaceAll(/\s*\r?\n\s*/g, ' ')
    .trim();

const done = z.pipe(
  z.nullish(z.union([z.string(), z.array(z.string())])),
  z.transform((value) => (value ? [value].flat() : [])),
);
/** What servers of an egg are run with in a container, with the text of their script; null: they cannot be. */
function containerOf({ config, scripts }: EggFile): (EggContainer & { readonly script: string | null }) | null {
  const { script, container, entrypoint } = scripts?.installation ?? {};
  const text = (script ?? '').trim() === '' ? null : (script ?? null);
  if (text !== null && (text.length > MAX_INSTALL_SCRIPT || text.includes('\0'))) return null;
  const read = eggContainer.safeParse({
    stop: (config?.stop ?? '').trim(),
    done: done.parse(config?.startup?.done).map((each) => each.trim()),
    install: text === null ? null : { image: container, shell: entrypoint || 'bash', script: '' },
  });
  return read.success ? { ...read.data, script: text } : null;
}

/** What a file of an egg holds, as it would be saved. */
export interface EggFileSummary {
  readonly format: EggFileFormat;
  readonly name: string;
  readonly description: string;
  readonly dockerImage: string;
  /** Further images of the file, which are left out. */
  readonly otherImages: readonly string[];
  readonly startup: string;
  /** Where its servers can run, and why this machine does not. */
  readonly engine: EggFileEngine;
  readonly reasons: readonly EggFileReason[];
  /** The kind of server of this machine that it names, or that runs the same game; null without one. */
  readonly recipe: string | null;
  /** The image that its installation script runs in; null without a script. */
  readonly installImage: string | null;
  /** A parser that is not known is null. */
  readonly configFiles: readonly { readonly path: string; readonly parser: ConfigParser | null }[];
  readonly variables: readonly EggVariable[];
  /** Rules that only the panel can check, by variable. */
  readonly unchecked: readonly { readonly env: string; readonly rule: string }[];
}

/**
 * What a file of an egg holds, as it would be saved, and where its servers can run. Throws EGG_FILE_UNREADABLE,
 * EGG_FILE_FORMAT.
 */
export const readEggFile = (content: string, deps: EggFileDeps): EggFileSummary =>
  summaryOf(parse(content, deps.parseYaml), deps);

function summaryOf(egg: EggFile, { recipes, runsImages }: Pick<EggFileDeps, 'recipes' | 'runsImages'>): EggFileSummary {
  const [image, ...others] = imagesOf(egg);
  const startup = startupOf(egg);
  // Without a command or an image nobody could run it; a command is never cut.
  if (image === undefined || startup === '' || startup.length > STARTUP) throw new DomainError('EGG_FILE_UNREADABLE');
  const { script, container } = egg.scripts?.installation ?? {};
  const isScripted = (script ?? '').trim() !== '';
  const files = Object.entries(egg.config?.files ?? {});
  const named = recipes.find((recipe) => image === `${MACHINE_IMAGE}${recipe}`) ?? null;
  const reasons: EggFileReason[] = [];
  if (named === null) reasons.push('image');
  if (isScripted) reasons.push('script');
  const isOpen = configFilesOf(egg).length === files.length;
  if (!isOpen) reasons.push('configFiles');
  const isFit = containerOf(egg) !== null;
  if (named === null && !isFit) reasons.push('unfitScript');
  // What a recipe of ours does not run, a container may.
  const mayBeContainer = named === null && isOpen && isFit;
  if (mayBeContainer && !runsImages()) reasons.push('engine');
  const engine = reasons.length === 0 ? 'machine' : mayBeContainer && runsImages() ? 'container' : 'panel';
  const name = oneLine(egg.name, NAME);
  const game = GAMES.find(([pattern, recipe]) => pattern.test(name) && recipes.includes(recipe))?.[1] ?? null;
  const variables = variablesOf(egg);
  return {
    format: egg.meta.version,
    name,
    description: oneLine(egg.description ?? '', DESCRIPTION),
    dockerImage: image,
    otherImages: others,
    startup,
    engine,
    reasons,
    recipe: named ?? game,
    installImage: isScripted ? oneLine(container ?? '', DESCRIPTION) : null,
    configFiles: files.slice(0, 50).map(([path, { parser }]) => ({
      path: oneLine(path, DESCRIPTION),
      parser: parserOf(parser),
    })),
    variables,
    unchecked: variables.flatMap(({ env, rules }) => uncheckedRules(rules).map((rule) => ({ env, rule }))),
  };
}

/** What an egg of a file needs at least, until staff say otherwise. */
const MINIMUMS = { min_memory: 1024, min_disk: 1024, min_cpu: 50 };

/**
 * Makes an egg of a file. It is turned off, as nobody has looked at it yet; rules that only a panel knows stay. Out:
 * its id. Throws as readEggFile does, VALIDATION_FAILED where the category is not there or has one of that name.
 */
export async function createEggOfFile(
  deps: Pick<PanelsDeps, 'uow' | 'clock' | 'ids'> & EggFileDeps,
  ctx: SignedIn,
  input: { readonly content: string; readonly category_id: string },
): Promise<string> {
  const { uow, clock, ids } = deps;
  const egg = parse(input.content, deps.parseYaml);
  const { name, description, dockerImage, startup, variables, format } = summaryOf(egg, deps);
  const id = ids.uuid();
  const at = iso(clock.now());
  const kept = recipeNamed(dockerImage) ? null : containerOf(egg);
  const script = kept?.script ?? null;
  const container = kept && {
    stop: kept.stop,
    done: kept.done,
    install: kept.install && script !== null ? { ...kept.install, script: ids.hash(script) } : null,
  };
  await uow.run(async (tx) => {
    if (!(await tx.catalog.category(input.category_id))) throw fieldError('category_id', 'UNKNOWN');
    const eggs = await tx.catalog.eggs();
    const isTaken = eggs.some(
      (egg) => egg.categoryId === input.category_id && egg.name.toLowerCase() === name.toLowerCase(),
    );
    if (isTaken) throw fieldError('content', 'NAME_TAKEN');
    if (container?.install && script !== null) await tx.catalog.keepInstallScript(container.install.script, script);
    await tx.crud.area('eggs').insert({
      id,
      name,
      description,
      docker_image: dockerImage,
      startup,
      variables,
      config_files: configFilesOf(egg),
      ...(container && { container }),
      ...toBlock(ids.hash(name)),
      ...MINIMUMS,
      picture: '',
      category_id: input.category_id,
      enabled: false,
      vip_only: false,
      position: Math.min(10_000, eggs.length + 1),
      created_at: at,
      updated_at: at,
    });
    await writeAudit(tx, { clock, ids }, ctx, { action: 'eggs.create', target: id, after: { name, format } });
    tx.touch('catalog');
  });
  return id;
}
