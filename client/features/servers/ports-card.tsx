import type { ReactNode } from 'react';
import type { FormResult } from '#client/lib/form-action.ts';
import { useFormProps } from '#client/lib/form-props.ts';
import { useT } from '#client/lib/i18n.tsx';
import { Badge } from '#client/ui/badge.tsx';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { CopyButton } from '#client/ui/copy-button.tsx';
import { Form } from '#client/ui/form.tsx';
import { List, ListItem } from '#client/ui/list.tsx';

interface PortsProps {
  readonly ports: readonly string[];
  readonly bought: number;
  /** Whether another one may be made the primary one. */
  readonly mayChoose: boolean;
  /** What became of that, or of another form of the page that went well. */
  readonly answer: FormResult<{ readonly intent: string }> | undefined;
}

/** The ports of a server, the primary first, and how many it was bought; nothing where none is known. */
export function PortsCard({ ports, bought, mayChoose, answer }: PortsProps): ReactNode {
  const t = useT('servers');
  const { problem, errors, translateError } = useFormProps(answer);
  const [primary] = ports;
  if (primary === undefined) return null;
  const isChoice = mayChoose && ports.length > 1;
  const notes = [
    ...(ports.length < bought ? [t('ports.missing', { known: ports.length, bought })] : []),
    ...(isChoice ? [t('ports.hint')] : []),
  ];
  const refusal = errors.port === undefined ? problem : translateError(errors.port);
  return (
    <Card title={t('kind.ports')} flush {...(notes.length > 0 ? { text: notes.join(' ') } : {})}>
      {answer?.ok && answer.result.intent === 'primaryPort' && (
        <Banner tone="positive" live>
          {t('ports.saved', { address: primary })}
        </Banner>
      )}
      {refusal !== undefined && (
        <Banner tone="danger" live>
          {refusal}
        </Banner>
      )}
      <List label={t('kind.ports')}>
        {ports.map((address, index) => (
          <ListItem
            key={address}
            title={<CopyButton text={address} what={address} />}
            end={
              index === 0
                ? ports.length > 1 && <Badge>{t('ports.primary')}</Badge>
                : isChoice && <Choice address={address} />
            }
          />
        ))}
      </List>
    </Card>
  );
}

/** Makes a port the primary one. */
function Choice({ address }: { address: string }): ReactNode {
  const t = useT('servers');
  return (
    <Form noSummary preventScrollReset>
      <input type="hidden" name="_intent" value="primaryPort" />
      <input type="hidden" name="port" value={address.slice(address.lastIndexOf(':') + 1)} />
      <Button type="submit" size="sm" variant="ghost" aria-label={t('ports.makeOf', { address })}>
        {t('ports.make')}
      </Button>
    </Form>
  );
}
