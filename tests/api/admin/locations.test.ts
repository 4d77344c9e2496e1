import { describe } from 'bun:test';
import { locations } from '#shared/resources/locations.ts';
import { ENGINES } from '#tests/support/db.ts';
import { crudSuite } from '../crud-suite.ts';

// Shows behaviour 8.1.

describe.each(ENGINES)('locations (%s)', (engine) => {
  crudSuite(
    locations,
    {
      input: (n) => ({
        name: `Place ${String(n).padStart(2, '0')}`,
        description: `No. ${n}`,
        code: ['DE', 'RO', 'ES'][n % 3] ?? 'FR',
        address: `p${n}.play.example`,
        slots: 10 + n,
        online: n % 2 === 0,
        vip_only: n % 3 === 0,
        position: (n * 5) % 7,
      }),
      change: { slots: 99, online: false, address: 'new.play.example', description: 'Moved' },
      bad: [
        [{ name: '' }, 'name', 'REQUIRED'],
        [{ name: '   ' }, 'name', 'REQUIRED'],
        [{ code: 'DEU' }, 'code', 'INVALID'],
        [{ code: 'D' }, 'code', 'INVALID'],
        [{ address: 'http://x.example' }, 'address', 'INVALID'],
        [{ address: 'a b' }, 'address', 'INVALID'],
        [{ address: '-x.example' }, 'address', 'INVALID'],
        [{ address: 'x.example:25565' }, 'address', 'INVALID'],
        [{ address: '' }, 'address', 'REQUIRED'],
        [{ slots: 0 }, 'slots', 'TOO_SMALL'],
        [{ placement: 'anywhere' }, 'placement', 'INVALID'],
        [{ panel_id: '01890000-0000-7000-8000-000000000000', panel_location: '1' }, 'panel_id', 'UNKNOWN'],
        [{ panel_location: '1' }, 'panel_id', 'INVALID'],
      ],
      unique: { field: 'name', code: 'NAME_TAKEN' },
      depend: { servers: (world, id) => world.server({ location: id, state: 'failed' }) },
      text: 'description',
    },
    engine,
  );
});
