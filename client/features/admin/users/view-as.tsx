import type { ReactNode } from 'react';
import { useErrorText } from '#client/lib/error-text.ts';
import { Banner } from '#client/ui/banner.tsx';
import type { StaffAnswer } from './staff-answer.ts';

/** Says why it could not begin. */
export function ViewAsRefused({ answer }: { answer: StaffAnswer | undefined }): ReactNode {
  const errors = useErrorText();
  if (answer?.intent !== 'viewAs' || answer.result.ok) return null;
  return (
    <Banner tone="danger" live>
      {errors.code(answer.result.code)}
    </Banner>
  );
}
