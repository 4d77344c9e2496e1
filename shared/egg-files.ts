/** Formats of egg files that are read: those of Pterodactyl and of Pelican. */
export const EGG_FILE_FORMATS = ['PTDL_v1', 'PTDL_v2', 'PLCN_v1', 'PLCN_v2', 'PLCN_v3'] as const;
export type EggFileFormat = (typeof EGG_FILE_FORMATS)[number];
/** Characters of the largest file. */
export const MAX_EGG_FILE = 524_288;

/**
 * Where servers of an egg file can run: a recipe of this machine, a container of this machine (Docker or Podman), or a
 * panel with images.
 */
export const EGG_FILE_ENGINES = ['machine', 'container', 'panel'] as const;
export type EggFileEngine = (typeof EGG_FILE_ENGINES)[number];
/** Why an egg file does not run on this machine by a recipe, or not at all (`eggFiles:reason.<code>`). */
export const EGG_FILE_REASONS = [
  /** Its servers run in an image of their own. */
  'image',
  /** A script installs them, in another image. */
  'script',
  /** It has configuration files that cannot be written here: of an unknown parser, or outside of the server's folder. */
  'configFiles',
  /** Its script is too long, names no image, or is for a shell that nobody knows. */
  'unfitScript',
  /** This machine has no Docker and no Podman that servers could run in. */
  'engine',
] as const;
export type EggFileReason = (typeof EGG_FILE_REASONS)[number];
