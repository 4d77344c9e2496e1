import type { ReactNode } from 'react';
import type { Api } from '#shared/contract/index.ts';
import { LOOK_STYLE_ID } from '#shared/look.ts';

export type Look = Awaited<ReturnType<Api['system']['settings']>>['look'];

/** The tokens that the host's settings replace, as a style; nothing where there are none. */
export function LookStyle({ look, nonce }: { look: Look; nonce: string }): ReactNode {
  return (
    look.style && (
      <style id={LOOK_STYLE_ID} nonce={nonce}>
        {look.style}
      </style>
    )
  );
}
