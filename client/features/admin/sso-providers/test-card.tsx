import { useState } from 'react';
import type { ReactNode } from 'react';
import { useErrorText } from '#client/lib/error-text.ts';
import { useApi } from '#client/lib/use-api.ts';
import { useAreaTexts } from '#client/resource/area.ts';
import { Banner } from '#client/ui/banner.tsx';
import { Button } from '#client/ui/button.tsx';
import { Card } from '#client/ui/card.tsx';
import { ApiError } from '#shared/contract/client.ts';
import { SSO_TESTED, type SsoKind } from '#shared/sso.ts';

interface Outcome {
  readonly tone: 'positive' | 'danger';
  readonly text: string;
  readonly cause: string | null;
}

/** Has the server read what a stored provider says of itself, and shows what is wrong with it. */
export function TestCard({ row }: { row: { readonly id: string; readonly kind: SsoKind } }): ReactNode {
  const texts = useAreaTexts('ssoProviders');
  const errors = useErrorText();
  const api = useApi();
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  if (!SSO_TESTED.includes(row.kind)) return null;
  const ask = async (): Promise<void> => {
    if (!api) return;
    setBusy(true);
    try {
      const { fault } = await api.adminSsoTest.test({ params: { id: row.id } });
      setOutcome(
        fault
          ? { tone: 'danger', text: texts.text(`test.${fault.fault}`), cause: fault.cause }
          : { tone: 'positive', text: texts.text('test.ok'), cause: null },
      );
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setOutcome({ tone: 'danger', text: errors.code(error.code), cause: null });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Card title={texts.text('test.title')} text={texts.text('test.text')}>
      {outcome && (
        <Banner tone={outcome.tone} live>
          {outcome.text} {outcome.cause !== null && <code className="sp-mono">{outcome.cause}</code>}
        </Banner>
      )}
      <div className="sp-btn-row">
        <Button busy={busy} onClick={() => void ask()}>
          {texts.text('test.start')}
        </Button>
      </div>
    </Card>
  );
}
