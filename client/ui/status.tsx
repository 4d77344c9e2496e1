import type { ReactNode } from 'react';

/** Shapes of a status; they differ in form as well as in colour. */
export type StatusShape =
  'active' | 'installing' | 'queued' | 'scheduled' | 'expiring' | 'suspended' | 'paused' | 'failed' | 'off' | 'full';

/** A status with its shape: a dot runs, a ring waits, bars are paused, a cross failed. */
export function Status(props: { shape: StatusShape; children: ReactNode }): ReactNode {
  return (
    <span className="sp-status" data-shape={props.shape}>
      {props.children}
    </span>
  );
}
