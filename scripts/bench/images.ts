import { join } from 'node:path';
import { Database } from 'bun:sqlite';
import { createImageCodec } from '#server/images/hosted/image-codec.ts';
import { drawImage } from '#server/images/hosted/draw.ts';
import { imagePath } from '#shared/images.ts';
import { pngOf } from '#tests/support/pictures.ts';
import { inFolder } from './folder.ts';
import { load } from './load.ts';
import { freePort, startServer } from './processes.ts';
import { growthFigure, ratioFigure, type Figure } from './report.ts';
import { alternate, secondsOf } from './rounds.ts';
import { addPlayers, openWorld, type World } from './installation.ts';

const ROUNDS = 3;
/** A screenshot: two million pixels. */
const SHOT = { width: 1920, height: 1080 };
const DRAWN = 4;
const REQUESTS = 12_000;
const CONNECTIONS = 16;
/** Images of one user, and of all in the larger installation. */
const OWN = 1000;
const ALL = 1_000_000;
const LISTED = 200;
/** Least share of the codec alone and of a static file; most that a page among a million may take longer. */
const LEAST_DRAWN = 0.8;
const LEAST_SERVED = 0.7;
const MOST_LISTED = 1.5;

/**
 * Figures r: images of users. How many a core draws in a process of its own against the codec alone, how many stored
 * ones are sent against a static file of Bun's, and a page of a library among a million images.
 */
export async function imageFigures(): Promise<Figure[]> {
  return [await drawnFigure(), ...(await inFolder(storedFigures))];
}

async function drawnFigure(): Promise<Figure> {
  const shot = pngOf(SHOT.width, SHOT.height);
  const main = join(import.meta.dir, '../../server/main.ts');
  const codec = createImageCodec({ command: [process.execPath, main], lanes: 1 });
  const rate = async (draw: (file: typeof shot) => Promise<unknown>) =>
    DRAWN / (await secondsOf(DRAWN, 1, () => draw(shot)));
  const [apart = NaN, alone = NaN] = await alternate(ROUNDS, [() => rate(codec.draw), () => rate(drawImage)]);
  codec.stop();
  return ratioFigure('r.draw', apart, alone, 'images/s', LEAST_DRAWN);
}

async function storedFigures(folder: string): Promise<Figure[]> {
  const world = await openWorld(folder);
  await world.host.services.settings.set(null, {
    image_hosting_enabled: true,
    image_price: 0,
    image_daily_transfer_mb: 0,
    limit_image_reads: 10_000_000,
  });
  await addPlayers(world.host, 1, 0);
  const userId = await ownerOf(world);
  const file = await new Bun.Image(pngOf(SHOT.width, SHOT.height)).jpeg({ quality: 80 }).bytes();
  const { image } = await world.host.services.images.upload({
    userId,
    uploadId: crypto.randomUUID(),
    name: 'shot.jpg',
    file: new Uint8Array(file),
  });
  const database = join(folder, 'spawnpoint.db');
  fillImages(database, image.object.hash, userId, OWN);
  const few = await listMs(world, userId);
  fillImages(database, image.object.hash, 'nobody', ALL - OWN);
  const many = await listMs(world, userId);
  await world.close();
  const path = imagePath(image.id, image.object.type);
  return [await servedFigure(folder, path, image.object.key), growthFigure('r.list', many, few, 'ms', MOST_LISTED)];
}

async function ownerOf({ host }: World): Promise<string> {
  const found = await host.database.uow.read((tx) => tx.identity.findUserByLogin('player0000'));
  if (!found) throw new Error('there is no player');
  return found.id;
}

/** Adds images of a user that all show one object. */
function fillImages(path: string, hash: string, userId: string, count: number): void {
  const file = new Database(path);
  // A million rows go in at once: what a crash would lose is made again.
  file.run('PRAGMA synchronous = OFF');
  file.run('PRAGMA cache_size = -262144');
  file.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO images (id, user_id, upload_id, hash, name, name_key, bytes, price, views, hidden_ms, created_ms)
     SELECT substr(hex(randomblob(11)), 1, 22), ?, 'u' || i, ?, 'shot ' || i || '.png', 'shot ' || i || '.png', 1000, 0, i, NULL, i
     FROM n`,
    [count, userId, hash],
  );
  file.close();
}

/** Ms of a page of a user's library, by each order and by a search. */
async function listMs({ host }: World, userId: string): Promise<number> {
  const ask = (at: number) =>
    host.database.uow.read((tx) =>
      tx.images.list(userId, {
        order: at % 2 === 0 ? 'newest' : 'largest',
        search: at % 4 === 3 ? 'shot 99' : '',
        after: null,
        limit: 25,
      }),
    );
  await secondsOf(LISTED, 1, ask);
  return ((await secondsOf(LISTED, 1, ask)) * 1000) / LISTED;
}

async function servedFigure(folder: string, path: string, key: string): Promise<Figure> {
  const stored = join(folder, 'uploads', 'images', key.slice(0, 2), `${key.slice(2)}.f`);
  const plainPort = await freePort();
  const bare = [process.execPath, join(import.meta.dir, 'static-file.ts'), stored, String(plainPort)];
  const plain = await startServer(bare, {}, plainPort, '/');
  // Both on the same core, one after the other: what is measured is the work for a request.
  const ownPort = await freePort();
  const own = await startServer(
    [process.execPath, join(import.meta.dir, '../../server/main.ts'), 'serve', '--local'],
    { DATA_DIR: folder, PORT: String(ownPort), LOG_LEVEL: 'info' },
    ownPort,
    '/healthz',
  );
  const rate = (port: number) => () =>
    load({
      port,
      path,
      cookies: [''],
      requests: REQUESTS,
      connections: CONNECTIONS,
      check: (answer) => {
        if (!answer.startsWith('HTTP/1.1 200')) throw new Error(answer.slice(0, 200));
      },
    });
  try {
    const [served = NaN, alone = NaN] = await alternate(ROUNDS, [rate(ownPort), rate(plainPort)]);
    return ratioFigure('r.serve', served, alone, 'requests/s', LEAST_SERVED);
  } finally {
    await own.stop();
    await plain.stop();
  }
}
