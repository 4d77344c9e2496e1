import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buildClient } from './client-build.ts';

/**
 * `bun run build`: dist/client, then dist/spawnpoint, one binary with client, locales and migrations inside.
 * `--no-binary` stops after the client (tests and development).
 */
const ROOT = join(import.meta.dir, '..');
mkdirSync(join(ROOT, 'dist'), { recursive: true });
const manifest = await buildClient({ compress: true, minify: true });
console.log(`client ${manifest.build}`);

if (!process.argv.includes('--no-binary')) {
  const args = [
    // A thread's file is an entry of its own. Their common folder has to stay that of the main entry, which names them
    // (server/main.ts).
    'build',
    join(ROOT, 'server/main.ts'),
    join(ROOT, 'server/data/reader/reader.worker.ts'),
    join(ROOT, 'server/images/picture.worker.ts'),
    join(ROOT, 'server/mail/read.worker.ts'),
    join(ROOT, 'server/identity-providers/hash.worker.ts'),
    join(ROOT, 'server/plugins/sandbox.worker.ts'),
    join(ROOT, 'server/plugins/package.worker.ts'),
    '--compile',
    '--minify',
    '--bytecode',
    '--format=esm',
    '--asset',
    join(ROOT, 'dist/client'),
    '--define',
    'process.env.NODE_ENV="production"',
    '--no-compile-autoload-bunfig',
    '--no-compile-autoload-dotenv',
    '--outfile',
    join(ROOT, 'dist/spawnpoint'),
  ];
  const child = Bun.spawn([process.execPath, ...args], { cwd: join(ROOT, 'dist'), stdout: 'pipe', stderr: 'pipe' });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) {
    console.error(out + err);
    process.exit(code);
  }
  console.log('dist/spawnpoint');
}
