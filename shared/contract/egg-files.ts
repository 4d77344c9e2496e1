import * as z from 'zod/mini';
import { CONFIG_PARSERS } from '../config-files.ts';
import { EGG_FILE_ENGINES, EGG_FILE_FORMATS, EGG_FILE_REASONS, MAX_EGG_FILE } from '../egg-files.ts';
import { eggVariableRow } from '../schemas/egg.ts';
import { id } from '../schemas/primitives.ts';
import { group } from './endpoint.ts';

const content = z.string().check(
  z.minLength(1, 'REQUIRED'),
  z.maxLength(MAX_EGG_FILE, 'TOO_LARGE'),
  // What no database takes; JSON that escapes it is looked at when it is read.
  z.regex(/^[^\0\p{Cs}]*$/u, 'INVALID'),
);
const eggFileInput = z.strictObject({ content });
const eggFileCreateInput = z.strictObject({ content, category_id: id });

const summary = z.object({
  format: z.enum(EGG_FILE_FORMATS),
  name: z.string(),
  description: z.string(),
  docker_image: z.string(),
  /** Further images of the file, which are left out. */
  other_images: z.array(z.string()),
  startup: z.string(),
  /**
   * `machine`, `container`: this machine runs its servers, itself or in Docker or Podman; `panel`: Pterodactyl or
   * Pelican.
   */
  engine: z.enum(EGG_FILE_ENGINES),
  reasons: z.array(z.enum(EGG_FILE_REASONS)),
  /** The kind of server of this machine that it names, or that runs the same game; null without one. */
  recipe: z.nullable(z.string()),
  /** The image that its installation script runs in; null without a script. */
  install_image: z.nullable(z.string()),
  /** A parser that is not known is null. */
  config_files: z.array(z.object({ path: z.string(), parser: z.nullable(z.enum(CONFIG_PARSERS)) })),
  variables: eggVariableRow,
  /** Rules that only the panel can check, by variable. */
  unchecked: z.array(z.object({ env: z.string(), rule: z.string() })),
});
export type EggFileSummary = z.infer<typeof summary>;
const ERRORS = ['EGG_FILE_UNREADABLE', 'EGG_FILE_FORMAT', 'VALIDATION_FAILED'] as const;

/** Files of eggs, as Pterodactyl and Pelican export them. */
export const adminEggFiles = group({
  read: {
    method: 'POST',
    path: '/api/admin/egg-files/read',
    summary: 'Read an egg file',
    description: 'Says what it holds and where its servers can run. Nothing is saved.',
    body: eggFileInput,
    access: 'admin.egg.create',
    limit: 'create',
    errors: ERRORS,
    response: z.object({ file: summary, categories: z.array(z.object({ id: z.string(), name: z.string() })) }),
  },
  create: {
    method: 'POST',
    path: '/api/admin/egg-files',
    summary: 'Create an egg from a file',
    description: 'It is turned off until staff have looked at it.',
    body: eggFileCreateInput,
    access: 'admin.egg.create',
    limit: 'create',
    errors: ERRORS,
    response: z.object({ id: z.string() }),
  },
});
