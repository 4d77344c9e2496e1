import type { ReactNode } from 'react';

/** Least length of a new password (behaviour 3.1). */
export const PASSWORD_MIN = 10;

/** The head of a page before the login. */
export function AuthHead(props: { title: ReactNode; text?: ReactNode }): ReactNode {
  return (
    <div className="sp-auth__head">
      <h1>{props.title}</h1>
      {props.text !== undefined && <p>{props.text}</p>}
    </div>
  );
}
