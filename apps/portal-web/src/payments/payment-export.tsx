import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { fileOf, PortalError } from '../api';
import { Failure } from '../ui';
import { exportLink, type PaymentSearch } from './queries';

/** Makes the file and says how far it is; a refusal, or a session that has ended, shows here. */
export function PaymentExport({ filter }: { filter: PaymentSearch }): ReactNode {
  const [kilobytes, setKilobytes] = useState(0);
  const making = useMutation({
    mutationFn: async () => {
      setKilobytes(0);
      const { name, blob } = await fileOf(exportLink(filter), bytes => setKilobytes(Math.ceil(bytes / 1_000)));
      if (blob.size === 0) throw new PortalError(0, 'The file came without content. Please try again.');
      const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name });
      link.click();
      // The browser reads it after the click.
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    },
  });
  return (
    <div className="export">
      <button type="button" disabled={making.isPending} onClick={() => making.mutate()}>
        {making.isPending ? 'Exporting…' : 'Export CSV'}
      </button>{' '}
      <span className="dim" role="status">
        {making.isPending && `${kilobytes} kB so far`}
        {making.isSuccess && `Exported, ${kilobytes} kB.`}
        {making.isIdle &&
          'All that fits the filters, with reversals and refunds as lines of their own; at most 100,000 lines, the newest first.'}
      </span>
      {making.isError && <Failure error={making.error} again={() => making.mutate()} />}
    </div>
  );
}
