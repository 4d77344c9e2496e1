import type { Sendables } from './client.ts';
import { wireTable, type PlayerContract } from './wire-table.ts';

/** Where the endpoints are that players call, and how they are called. */
export const WIRE: Sendables<PlayerContract> = wireTable('players');
