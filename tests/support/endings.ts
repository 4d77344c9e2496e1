import { DomainError, type ErrorCode } from '#shared/errors.ts';

/** Code with which a command is refused. Rethrows what is no refusal but a fault. */
export async function refusal(command: Promise<unknown>): Promise<ErrorCode | 'accepted'> {
  try {
    await command;
    return 'accepted';
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

/** How many commands went through, and how many were refused with which code. */
export async function endings(
  commands: readonly Promise<unknown>[],
): Promise<{ accepted: number; refused: Partial<Record<ErrorCode, number>> }> {
  const codes = await Promise.all(commands.map(refusal));
  const refused: Partial<Record<ErrorCode, number>> = {};
  for (const code of codes) if (code !== 'accepted') refused[code] = (refused[code] ?? 0) + 1;
  return { accepted: codes.filter((code) => code === 'accepted').length, refused };
}
