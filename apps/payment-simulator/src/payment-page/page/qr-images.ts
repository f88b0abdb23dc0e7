import { create, toString } from 'qrcode';
import { pngOf } from './png-image';

export type ImageFormat = 'png' | 'svg';

/** Images kept; each is some 2 KiB. */
const keptMax = 1_000;
/** Points of quiet zone around the symbol (ISO/IEC 18004). */
const quiet = 4;
/** Pixels of a point: 41 points, with the quiet zone, make 328. */
const scale = 8;
const errorCorrectionLevel = 'M';

/**
 * QR images of texts. Anybody may request them without credentials, any number of times, and drawing blocks the event loop, which also
 * completes payments. So the last images are kept.
 */
export class QrImages {
  /** In order of use, the least recently used first. */
  private readonly kept = new Map<string, Promise<Buffer>>();

  constructor(private readonly draw: (text: string, format: ImageFormat) => Promise<Buffer> = drawQrImage) {}

  /** The image; concurrent calls for the same image share one drawing. */
  of(text: string, format: ImageFormat): Promise<Buffer> {
    const key = `${format} ${text}`;
    const image = this.kept.get(key) ?? this.draw(text, format);
    this.kept.delete(key);
    this.kept.set(key, image);
    if (this.kept.size > keptMax) this.kept.delete(this.kept.keys().next().value!);
    image.catch(() => this.kept.delete(key));
    return image;
  }
}

export async function drawQrImage(text: string, format: ImageFormat): Promise<Buffer> {
  if (format === 'svg') return Buffer.from(await toString(text, { type: 'svg', errorCorrectionLevel }));
  const { modules } = create(text, { errorCorrectionLevel });
  const isInside = (at: number): boolean => at >= quiet && at < modules.size + quiet;
  const isBlack = (row: number, column: number): boolean =>
    isInside(row) && isInside(column) && modules.get(row - quiet, column - quiet) === 1;
  return pngOf({ size: modules.size + 2 * quiet, isBlack }, scale);
}
