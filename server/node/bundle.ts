/**
 * A program that runs in a sandbox, as one text. In: the folder of this one that it is in. Runs when the code is
 * bundled or loaded (a macro), because a sandbox has neither our source nor our packages. Throws where it cannot be
 * bundled.
 */
export function programText(part: 'file-manager' | 'downloads'): string {
  const { success, stdout, stderr } = Bun.spawnSync([
    process.execPath,
    'build',
    `${import.meta.dir}/${part}/program/main.ts`,
    '--target=bun',
  ]);
  if (!success) throw new Error(stderr.toString());
  return stdout.toString();
}
