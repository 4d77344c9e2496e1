import { openFake, type Order, type Said } from './panel-fake.ts';

/**
 * The panel as a process of its own, so that it takes nothing of the core that is measured. Says where it is, then does
 * what it is told.
 */
const { ready, obey } = await openFake(Number(process.argv[2] ?? 10));
process.on('message', (order: Order) => void process.send?.({ value: obey(order) ?? null } satisfies Said));
process.send?.({ ready } satisfies Said);
