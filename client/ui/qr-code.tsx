import { useMemo } from 'react';
import type { ReactNode } from 'react';
import { encodeQR } from 'qr';

/** Empty modules around the code: readers need them. */
const QUIET_ZONE = 4;

/** Dark modules of a row as one path: a bar for each run of them. */
function rowPath(row: readonly boolean[], y: number): string {
  let path = '';
  for (let x = 0; x < row.length; x++) {
    if (!row[x]) continue;
    const start = x;
    while (row[x + 1]) x++;
    path += `M${start} ${y}h${x - start + 1}v1h${start - x - 1}z`;
  }
  return path;
}

/** A text as a QR code, as SVG without inline styles. `label` is its accessible name. */
export function QrCode({ text, label }: { text: string; label: string }): ReactNode {
  const { size, path } = useMemo(() => {
    const rows = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_ZONE });
    return { size: rows.length, path: rows.map(rowPath).join('') };
  }, [text]);
  return (
    <svg className="sp-qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect className="sp-qr__paper" width={size} height={size} />
      <path className="sp-qr__ink" d={path} />
    </svg>
  );
}
