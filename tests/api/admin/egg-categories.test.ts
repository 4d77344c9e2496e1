import { describe } from 'bun:test';
import { eggCategories } from '#shared/resources/egg-categories.ts';
import { ENGINES } from '#tests/support/db.ts';
import { crudSuite } from '../crud-suite.ts';
import { eggInput } from './inputs.ts';

describe.each(ENGINES)('egg categories (%s)', (engine) => {
  crudSuite(
    eggCategories,
    {
      input: (n) => ({
        name: `Kind ${String(n).padStart(2, '0')}`,
        description: `No. ${n}`,
        picture: '',
        enabled: n % 2 === 0,
        position: (n * 5) % 7,
      }),
      change: { description: 'Servers to play on', enabled: false, position: 77 },
      bad: [
        [{ name: '' }, 'name', 'REQUIRED'],
        [{ name: 'a'.repeat(61) }, 'name', 'TOO_LONG'],
        [{ picture: '/etc/passwd' }, 'picture', 'INVALID'],
        [{ picture: '0'.repeat(32) }, 'picture', 'UNAVAILABLE'],
        [{ position: 10_001 }, 'position', 'TOO_LARGE'],
      ],
      unique: { field: 'name', code: 'NAME_TAKEN' },
      depend: {
        eggs: (world, id) => world.as('admin.egg.create').adminEggs.create({ body: eggInput(id, 1) }),
        servers: (world, id) => world.server({ category: id }),
      },
      text: 'description',
    },
    engine,
  );
});
