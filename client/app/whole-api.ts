import { WIRE } from '#shared/contract/wire.ts';
import { knowEndpoints } from './endpoints.ts';

// Imported by what may be seen after the log-in: its layouts, and what opens above any page.
knowEndpoints(WIRE);
