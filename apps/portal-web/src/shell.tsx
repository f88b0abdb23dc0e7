import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouter, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { call } from './api';
import type { ShownPerson } from './portal-api';
import { meQuery, merchantsQuery, queryClient } from './queries';
import { applyTheme, currentTheme, themes } from './theme';
import { Offline, SessionOver } from './sign-in/session-over';
import { Icon, Logo, roleName } from './ui';
import { LanguageChoice, TimeZoneChoice } from './language/choices';
import { t, type Text } from './language/language';

type Listed = { to: string; label: Text };
const daily = [
  { to: '/', label: 'Home' },
  { to: '/till', label: 'Take a payment' },
  { to: '/payments', label: 'Payments' },
  { to: '/merchants', label: 'Merchants' },
  { to: '/statements', label: 'Statements' },
] as const satisfies Listed[];
const setUp = [
  { to: '/notifications', label: 'Your server' },
  { to: '/api', label: 'API' },
  { to: '/sandbox', label: 'Sandbox' },
  { to: '/on-call', label: 'On-call' },
  { to: '/alerts', label: 'Alerts' },
  { to: '/people', label: 'People' },
  { to: '/security', label: 'Security' },
] as const satisfies Listed[];
type NavPage = (typeof daily)[number] | (typeof setUp)[number];

/** Merchants rehearse and take payments in the sandbox; people on call look at everything. */
function isFor(me: ShownPerson | null | undefined, page: NavPage['to']): boolean {
  if (page === '/on-call') return me?.person.mayOnCall === true;
  if (page === '/merchants') return me?.person.tenantType === 'PSP' || me?.person.tenantType === 'ACQUIRER';
  return (page !== '/sandbox' && page !== '/till') || (me?.environment === 'sandbox' && me.person.tenantType === 'MERCHANT');
}

/** The frame of every page for people who are signed in. */
export function Shell(): ReactNode {
  const { data: me } = useQuery(meQuery);
  const main = useMainFocus();
  useReportedActivity();
  return (
    <div className="shell">
      <a className="skip" href="#main">
        {t('Skip to content')}
      </a>
      <Side me={me} />
      <main id="main" ref={main} tabIndex={-1}>
        <Offline />
        <Outlet />
      </main>
      <SessionOver />
    </div>
  );
}

/** Beside the page; on a phone a bar that unfolds, until a page is chosen. */
function Side({ me }: { me: ShownPerson | null | undefined }): ReactNode {
  const path = useRouterState({ select: state => state.location.pathname });
  const [openOn, setOpenOn] = useState<string | null>(null);
  const isOpen = openOn === path;
  const may = ({ to }: NavPage) => isFor(me, to);
  return (
    <header className="side" data-open={isOpen || undefined} onKeyDown={event => event.key === 'Escape' && setOpenOn(null)}>
      <div className="brand">
        <button
          type="button"
          className="menu"
          aria-label={t('Menu')}
          aria-expanded={isOpen}
          onClick={() => setOpenOn(isOpen ? null : path)}
        >
          <Icon name="menu" />
        </button>
        <Logo />
        Paycode
        <span className="spacer" />
        {me?.environment === 'sandbox' && <span className="tag sandbox">{t('Sandbox')}</span>}
      </div>
      {me && <Account {...me.person} />}
      <nav className="nav" aria-label={t('Pages')}>
        <NavLinks pages={daily.filter(may)} />
        <h2>{t('Set-up')}</h2>
        <NavLinks pages={setUp.filter(may)} />
      </nav>
      <span className="spacer" />
      <div className="person">
        <LanguageChoice />
        <TimeZoneChoice />
        <ThemeChoice />
        <SignOut />
      </div>
    </header>
  );
}

function NavLinks({ pages }: { pages: readonly NavPage[] }): ReactNode {
  return pages.map(({ to, label }) => (
    <Link key={to} to={to} activeOptions={{ exact: to === '/', includeSearch: false }} activeProps={{ 'aria-current': 'page' }}>
      <Icon name={to} />
      {t(label)}
    </Link>
  ));
}

function Account({ tenantName, tenantType, tenantId, name, role }: ShownPerson['person']): ReactNode {
  const { data: [own] = [] } = useQuery({ ...merchantsQuery, enabled: tenantType === 'MERCHANT' });
  const numbers = { MERCHANT: t('Merchant'), PSP: t('PSP'), ACQUIRER: undefined, OPERATOR: undefined };
  const number = numbers[tenantType] && `${numbers[tenantType]} ${tenantId}`;
  const title = own?.merchantName ?? number ?? tenantName;
  const initials = title.split(/\s+/, 2).map(word => word.charAt(0).toUpperCase());
  return (
    <div className="who">
      <span className="initials" aria-hidden="true">
        {initials}
      </span>
      <bdi className="who-name">{title}</bdi>
      <span className="dim">
        {number && number !== title && `${number} · `}
        <bdi>{name}</bdi>, {roleName(role)}
      </span>
    </div>
  );
}

const activityEveryMs = 60_000;

/** The session ends after an hour in which nobody uses a key or a pointer: pages that poll keep it no longer. */
function useReportedActivity(): void {
  useEffect(() => {
    let reportedAtMs = -Infinity;
    const report = () => {
      if (performance.now() - reportedAtMs < activityEveryMs) return;
      reportedAtMs = performance.now();
      // The next key or pointer after a minute reports again; a session that ended shows at the page's next read.
      call('POST /session/seen').catch(() => undefined);
    };
    const kinds = ['pointerdown', 'keydown', 'wheel'] as const;
    for (const kind of kinds) addEventListener(kind, report, { passive: true });
    return () => kinds.forEach(kind => removeEventListener(kind, report));
  }, []);
}

/** A new page is read out from its beginning. */
function useMainFocus() {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: state => state.location.pathname });
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [path]);
  return main;
}

function ThemeChoice(): ReactNode {
  const [theme, setTheme] = useState(currentTheme);
  const choose = (next: string) => {
    const known = themes.find(each => each === next)!;
    applyTheme(known);
    setTheme(known);
  };
  return (
    <select className="small" aria-label={t('Colours')} value={theme} onChange={event => choose(event.target.value)}>
      <option value="system">{t('As the system')}</option>
      <option value="light">{t('Light')}</option>
      <option value="dark">{t('Dark')}</option>
    </select>
  );
}

function SignOut(): ReactNode {
  const router = useRouter();
  const signOut = async () => {
    // A session that has ended already, or that cannot be reached, leaves nothing to do here: this page forgets it all the same.
    await call('DELETE /session').catch(() => undefined);
    queryClient.clear();
    queryClient.setQueryData(meQuery.queryKey, null);
    await router.navigate({ to: '/sign-in', search: { next: undefined } });
  };
  return (
    <button type="button" className="small" onClick={() => void signOut()}>
      {t('Sign out')}
    </button>
  );
}
