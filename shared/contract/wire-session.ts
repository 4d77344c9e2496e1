import type { Sendables } from './client.ts';
import { wireTable, type SessionContract } from './wire-table.ts';

/** Where the endpoints are that every page calls by itself, and how they are called. */
export const SESSION_WIRE: Sendables<SessionContract> = wireTable('session');
