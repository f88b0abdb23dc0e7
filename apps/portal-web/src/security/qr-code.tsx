import { type ReactNode, useEffect, useState } from 'react';
import { t, type Words } from '../language/language';

/** Points of quiet zone around the symbol (ISO/IEC 18004). */
const quiet = 4;

/** A text as a QR code, drawn in the browser: no server sees it. Until it is drawn, and where it cannot be, there is nothing. */
export function QrCode({ text, label }: { text: string; label: Words }): ReactNode {
  const [drawn, setDrawn] = useState<{ path: string; size: number }>();
  useEffect(() => void draw(text).then(setDrawn, () => setDrawn(undefined)), [text]);
  if (!drawn) return null;
  const whole = drawn.size + 2 * quiet;
  return (
    <svg
      className="qr"
      role="img"
      aria-label={t(label)}
      width={200}
      height={200}
      viewBox={`${-quiet} ${-quiet} ${whole} ${whole}`}
    >
      <path d={drawn.path} shapeRendering="crispEdges" />
    </svg>
  );
}

/** The library comes when a code is drawn, and not with the first page. */
async function draw(text: string): Promise<{ path: string; size: number }> {
  const { create } = await import('qrcode');
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const { size } = modules;
  const points = Array.from({ length: size * size }, (_, at) => [at % size, Math.floor(at / size)] as const);
  const path = points.flatMap(([x, y]) => (modules.get(y, x) === 1 ? [`M${x} ${y}h1v1h-1z`] : [])).join('');
  return { path, size };
}
