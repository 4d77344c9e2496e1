import type { StatusShape } from '#client/ui/status.tsx';
import type { ImportState } from '#shared/imports.ts';

const SHAPES: Readonly<Record<ImportState, StatusShape>> = {
  checked: 'queued',
  running: 'installing',
  done: 'active',
  failed: 'failed',
  undone: 'off',
};
/** How the state of a run is drawn. */
export const stateShape = (state: ImportState): StatusShape => SHAPES[state];
