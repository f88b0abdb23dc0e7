import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { call } from '../api';
import type { PaymentViewFilter, ShownPaymentView } from '../portal-api';
import { queryClient } from '../queries';
import { Confirm, Failure, Field } from '../ui';
import type { ListSearch } from './queries';
import { rich, t, type Words } from '../language/language';

const viewsQuery = queryOptions({ queryKey: ['payment-views'], queryFn: () => call('GET /payment-views') });

/** Filters and columns of an address, as a view keeps them: whatever page of the list it shows. */
function filterIn({ after: _, before: __, merchantId, ...search }: ListSearch): PaymentViewFilter {
  return { ...search, merchantId: merchantId === undefined ? undefined : String(merchantId) } as PaymentViewFilter;
}

const searchOf = ({ merchantId, ...filter }: PaymentViewFilter) =>
  ({ ...filter, merchantId: merchantId ? Number(merchantId) : undefined }) as never;

const keyOf = (filter: PaymentViewFilter) =>
  JSON.stringify(Object.entries(filter).filter(([, value]) => value !== undefined).sort()); // prettier-ignore

const noFilter = keyOf({});

/**
 * The view whose filters the page shows. Of two alike it is the one that was opened last, and a view stays the opened one while its filters are
 * changed: until another is opened, or all filters are gone.
 */
function useOpened(views: readonly ShownPaymentView[], key: string) {
  const [lastId, setLastId] = useState<string>();
  const last = views.find(view => view.viewId === lastId);
  const alike = views.filter(view => keyOf(view.filter) === key);
  const shown = alike.find(view => view === last) ?? alike[0];
  useEffect(() => {
    if (shown || key === noFilter) setLastId(shown?.viewId);
  }, [shown, key]);
  return { opened: shown ?? (key === noFilter ? undefined : last), isChanged: !shown, open: setLastId };
}

/** The title of the page and the views of the person, as tabs. Each tab is a link with the filters: whoever gets it needs no view. */
export function PaymentViews({ search, children }: { search: ListSearch; children: ReactNode }): ReactNode {
  const list = useQuery(viewsQuery);
  const views = list.data ?? [];
  const filter = filterIn(search);
  const key = keyOf(filter);
  const { opened, isChanged, open } = useOpened(views, key);
  const [isSaving, setSaving] = useState(false);
  const save = async (name: string) => {
    const { viewId } = await changed(call('POST /payment-views', { body: { name, filter } }));
    open(viewId);
  };
  return (
    <>
      <div className="head">
        <h1>{t('Payments')}</h1>
        <span className="spacer" />
        {isChanged && key !== noFilter && (
          <button type="button" onClick={() => setSaving(true)}>
            {t('Save view')}
          </button>
        )}
        {children}
      </div>
      {isSaving && <AskName title="Save view" action="Save" name="" onName={save} onClose={() => setSaving(false)} />}
      {list.isError && <p className="dim">{t('Your views cannot be read now.')}</p>}
      {views.length > 0 && (
        <div className="views">
          <nav aria-label={t('Saved views')}>
            <Tab filter={{}} isOpened={!opened}>
              {t('All')}
            </Tab>
            {views.map(view => (
              <Tab key={view.viewId} filter={view.filter} isOpened={view === opened} onOpen={() => open(view.viewId)}>
                <bdi>{view.name}</bdi> {view === opened && isChanged && <span className="dim">{t('changed')}</span>}
              </Tab>
            ))}
          </nav>
          {opened && <ViewActions key={opened.viewId} view={opened} filter={filter} isChanged={isChanged} />}
        </div>
      )}
      {opened?.isPartial && <p className="notice wait">{t('A part of this view exists no more. Shown is what still works.')}</p>}
    </>
  );
}

function Tab(props: { filter: PaymentViewFilter; isOpened: boolean; onOpen?: () => void; children: ReactNode }): ReactNode {
  return (
    <Link
      to="/payments"
      search={searchOf(props.filter)}
      activeOptions={{ exact: true }}
      aria-current={props.isOpened || undefined}
      onClick={props.onOpen}
    >
      {props.children}
    </Link>
  );
}

const readAgain = () => queryClient.invalidateQueries(viewsQuery);

async function changed<T>(sent: Promise<T>): Promise<T> {
  const answer = await sent;
  await readAgain();
  return answer;
}

interface ViewActionsProps {
  view: ShownPaymentView;
  /** As the page shows it. */
  filter: PaymentViewFilter;
  isChanged: boolean;
}

function ViewActions({ view: { viewId, name, isPartial }, filter, isChanged }: ViewActionsProps): ReactNode {
  const [asked, setAsked] = useState<'RENAME' | 'DELETE'>();
  const path = { viewId };
  const change = (body: { name: string } | { filter: PaymentViewFilter }) =>
    changed(call('POST /payment-views/{viewId}', { path, body }));
  const replacing = useMutation({ mutationFn: () => change({ filter }) });
  // After a refusal, too: another tab may have deleted the view.
  const close = () => {
    setAsked(undefined);
    void readAgain();
  };
  return (
    <div className="row">
      {(isChanged || isPartial) && (
        <button type="button" className="small" disabled={replacing.isPending} onClick={() => replacing.mutate()}>
          {t('Replace with these filters')}
        </button>
      )}
      <button type="button" className="small" onClick={() => setAsked('RENAME')}>
        {t('Rename')}
      </button>
      <button type="button" className="small" onClick={() => setAsked('DELETE')}>
        {t('Delete')}
      </button>
      {replacing.isError && <Failure error={replacing.error} />}
      {asked === 'RENAME' && (
        <AskName title="Rename this view" action="Rename" name={name} onName={next => change({ name: next })} onClose={close} />
      )}
      {asked === 'DELETE' && (
        <Confirm
          title="Delete this view?"
          action="Delete"
          onConfirm={() => changed(call('DELETE /payment-views/{viewId}', { path }))}
          onClose={close}
        >
          <p>{rich('{name} goes for you alone. No payment changes.', { name: <bdi>{name}</bdi> })}</p>
        </Confirm>
      )}
    </div>
  );
}

function AskName(props: {
  title: Words;
  action: Words;
  name: string;
  onName: (name: string) => Promise<unknown>;
  onClose: () => void;
}): ReactNode {
  const [name, setName] = useState(props.name);
  return (
    <Confirm {...props} isSafe onConfirm={() => props.onName(name)}>
      <Field label="Name of the view" value={name} required autoFocus autoComplete="off" maxLength={60} onChange={setName} />
    </Confirm>
  );
}
