import type { Download } from '#server/panel/embedded/runtime.ts';
import { factorio, mindustry, terraria } from './games.ts';
import { fabric, mojang, paper, purpur } from './minecraft.ts';
import type { Plan } from './plan.ts';
import type { Reader } from './reader.ts';

/** Finds out what has to be there. `wanted`: a version that the source lists, or `latest`. Throws DownloadFailed. */
export async function findPlan(reader: Reader, download: Download, wanted: string): Promise<Plan> {
  switch (download) {
    case 'minecraft-vanilla': {
      const { version, entry, java: least } = await mojang(reader, wanted);
      return { version, ingredients: { game: entry, java: await reader.java(least) } };
    }
    case 'minecraft-paper': {
      const game = await paper(reader, 'paper', wanted);
      // Paper is a patch of Mojang's file, which it would load itself from inside the server.
      const base = await mojang(reader, game.version);
      return {
        version: game.version,
        ingredients: { game: game.entry, base: base.entry, java: await reader.java(game.java) },
      };
    }
    case 'minecraft-velocity': {
      const game = await paper(reader, 'velocity', wanted);
      return { version: game.version, ingredients: { game: game.entry, java: await reader.java(game.java) } };
    }
    case 'minecraft-purpur':
      return purpur(reader, wanted);
    case 'minecraft-fabric':
      return fabric(reader, wanted);
    case 'mindustry':
      return mindustry(reader, wanted);
    case 'terraria':
      return terraria(reader, wanted);
    case 'factorio':
      return factorio(reader, wanted);
    default:
      return download satisfies never;
  }
}
