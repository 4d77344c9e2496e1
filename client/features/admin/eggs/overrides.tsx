import type { ReactNode } from 'react';
import { useLooseT } from '#client/lib/i18n.tsx';
import type { CustomFieldProps, OverridesOf } from '#client/resource/area.ts';
import { Block } from '#client/ui/block.tsx';
import { Card, Facts } from '#client/ui/card.tsx';
import { LinkButton } from '#client/ui/link-button.tsx';
import { href } from '#shared/routes/staff-href.ts';
import type { ConfigFile } from '#shared/config-files.ts';
import type { eggs } from '#shared/resources/eggs.ts';
import { AreaPictureField } from '../parts/pictures/area-picture-field.tsx';
import { BlockField } from './block-field.tsx';
import { readVariables } from './variables.ts';
import { VariablesField } from './variables-field.tsx';

interface Pictured {
  readonly name: string;
  readonly shape: 'cube' | 'slab' | 'pair' | 'pillar' | 'stairs' | 'pedestal';
  readonly hue: number;
  readonly picture: string;
  readonly enabled: boolean;
}

function NameCell({ row }: { row: Pictured }): ReactNode {
  return (
    <span className="sp-egg-name">
      <Block shape={row.shape} hue={row.hue} picture={row.picture} size="sm" off={!row.enabled} />
      {row.name}
    </span>
  );
}

function Picture({ row }: { row: Pictured }): ReactNode {
  return <Block shape={row.shape} hue={row.hue} picture={row.picture} size="lg" off={!row.enabled} />;
}

function PictureField(props: CustomFieldProps): ReactNode {
  return <AreaPictureField {...props} area="eggs" />;
}

/** The link to the page that reads a file of an egg. */
function ImportLink(): ReactNode {
  const t = useLooseT('areas/eggs');
  return (
    <LinkButton to={href('admin.eggs.import')} icon="upload">
      {t('import')}
    </LinkButton>
  );
}

/** The configuration files that came with an egg's file: what is written before each start, and how each is read. */
function ConfigFiles({
  row: { config_files: files },
}: {
  row: { readonly config_files: readonly ConfigFile[] };
}): ReactNode {
  const t = useLooseT('areas/eggs');
  if (files.length === 0) return null;
  const items = files.map(({ path, parser }) => ({ label: path, value: <code>{parser}</code> }));
  return (
    <Card title={t('configFiles')} text={t('configFilesText')}>
      <Facts items={items} />
    </Card>
  );
}

/** Overrides of eggs: their block or picture, their variables and configuration files. */
export const overrides: OverridesOf<typeof eggs> = {
  cells: { name: NameCell },
  fields: { shape: BlockField, picture: PictureField, variables: VariablesField },
  read: (form) => ({ variables: readVariables(form.entries()) }),
  picture: Picture,
  actions: ImportLink,
  beside: ConfigFiles,
};
