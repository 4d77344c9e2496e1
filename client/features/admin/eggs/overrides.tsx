import type { ReactNode } from 'react';
import type { OverridesOf } from '#client/resource/area.ts';
import { Block } from '#client/ui/block.tsx';
import type { eggs } from '#shared/resources/eggs.ts';
import { BlockField } from './block-field.tsx';
import { readVariables } from './variables.ts';
import { VariablesField } from './variables-field.tsx';

interface Pictured {
  readonly name: string;
  readonly shape: 'cube' | 'slab' | 'pair' | 'pillar' | 'stairs' | 'pedestal';
  readonly hue: number;
  readonly enabled: boolean;
}

function NameCell({ row }: { row: Pictured }): ReactNode {
  return (
    <span className="sp-egg-name">
      <Block shape={row.shape} hue={row.hue} size="sm" off={!row.enabled} />
      {row.name}
    </span>
  );
}

function Picture({ row }: { row: Pictured }): ReactNode {
  return <Block shape={row.shape} hue={row.hue} size="lg" off={!row.enabled} />;
}

/** Overrides of eggs: their block, and their variables. */
export const overrides: OverridesOf<typeof eggs> = {
  cells: { name: NameCell },
  fields: { shape: BlockField, variables: VariablesField },
  read: (form) => ({ variables: readVariables(form.entries()) }),
  picture: Picture,
};
