/**
 * The program of the file manager as one text. Runs when the code is bundled or loaded (a macro), because a sandbox has
 * neither our source nor our packages. Throws where it cannot be bundled.
 */
export function programText(): string {
  const { success, stdout, stderr } = Bun.spawnSync([
    process.execPath,
    'build',
    `${import.meta.dir}/program/main.ts`,
    '--target=bun',
  ]);
  if (!success) throw new Error(stderr.toString());
  return stdout.toString();
}
