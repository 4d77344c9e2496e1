import type { Sendables } from './client.ts';
import { wireTable, type StaffContract } from './wire-table.ts';

/** Where the endpoints are that only staff call, and how they are called. */
export const STAFF_WIRE: Sendables<StaffContract> = wireTable('staff');
