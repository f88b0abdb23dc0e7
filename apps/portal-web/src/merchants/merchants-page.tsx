import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { MerchantRecord } from '../portal-api';
import { meQuery, merchantPageQuery } from '../queries';
import { Failure, Field, Table, Waiting } from '../ui';
import './merchants.css';
import { t, type Text, useTitle } from '../language/language';

/** The merchants of a PSP or acquirer, by name. The address holds what is looked for. */
export function MerchantsPage(): ReactNode {
  const { search, after } = useSearch({ from: '/signed-in/merchants' });
  const { data: me } = useQuery(meQuery);
  const list = useQuery({ ...merchantPageQuery(search ?? '', after), placeholderData: keepPreviousData });
  useTitle('Merchants');
  return (
    <>
      <div className="page-head">
        <h1>{t('Merchants')}</h1>
        {typeof list.data?.count === 'number' && <span className="dim">{list.data.count}</span>}
        <span className="spacer" />
        {me?.person.mayConfigure && (
          <Link className="button" to="/merchants/import">
            {t('Set up by a file')}
          </Link>
        )}
      </div>
      <Search key={search} before={search} />
      {list.isError && <Failure error={list.error} again={() => void list.refetch()} />}
      {list.isPending && <Waiting what="Reading merchants" />}
      {list.data && <Found merchants={list.data.merchants} />}
      <nav className="row" aria-label={t('Pages of the list')}>
        {after !== undefined && <PageLink name="First page" search={search} after={undefined} />}
        {list.data && list.data.next !== null && <PageLink name="Next page" search={search} after={list.data.next} />}
      </nav>
    </>
  );
}

function Search({ before }: { before: string | undefined }): ReactNode {
  const navigate = useNavigate({ from: '/merchants' });
  const [text, setText] = useState(before ?? '');
  const look = (event: FormEvent) => {
    event.preventDefault();
    void navigate({ search: { search: text.trim() || undefined, after: undefined } });
  };
  return (
    <form className="search row" role="search" aria-label={t('Merchants')} onSubmit={look}>
      <Field label="Name or id" type="search" maxLength={100} value={text} onChange={setText} />
      <button type="submit">{t('Find')}</button>
    </form>
  );
}

function PageLink({ name, ...search }: { name: Text; search: string | undefined; after: number | undefined }): ReactNode {
  return (
    <Link className="button" to="/merchants" search={search}>
      {t(name)}
    </Link>
  );
}

function Found({ merchants }: { merchants: MerchantRecord[] }): ReactNode {
  if (merchants.length === 0) return <p className="notice">{t('No merchant has this id, or a name that begins so.')}</p>;
  return (
    <div className="merchant-list">
      <Table label="Merchants" columns={['Merchant', 'State', 'Go to']}>
        {merchants.map(({ merchantId, merchantName, status }) => (
          <tr key={merchantId}>
            <th scope="row">
              <Link to="/merchants/$merchantId" params={{ merchantId: String(merchantId) }}>
                {merchantName}
              </Link>
              <span className="dim">{merchantId}</span>
            </th>
            <td>{status === 'ACTIVE' ? t('Active') : <span className="tag reversed">{t('Suspended')}</span>}</td>
            <td>
              <Link to="/payments" search={{ merchantId } as never} aria-label={t('Payments of {name}', { name: merchantName })}>
                {t('Payments')}
              </Link>
            </td>
          </tr>
        ))}
      </Table>
    </div>
  );
}
