/** Targets that requests of this deployment may reach. The policy refuses all others (T-11). */
export interface OutboundPolicy {
  /** Decides schemes, ports and IP literals (R-8-6, A-45). */
  environment: 'sandbox' | 'production';
  /**
   * CIDRs that may be reached although they are not globally routable. Empty everywhere but in standalone and tests. In the sandbox they
   * may be reached on any port; in production the list lifts the address rule only.
   */
  allow: readonly string[];
  /** CIDRs that requests may never reach, even if another rule allows them, for internal ranges with public-looking addresses. */
  deny?: readonly string[];
  /** PEM file with certificate authorities trusted in addition to the built-in ones. Verification itself is never switched off (T-13). */
  caFile?: string | null;
  /** PEM files of the certificate and key that the platform shows to receivers that demand one; both or none. */
  clientCertFile?: string | null;
  clientKeyFile?: string | null;
  /** Oldest TLS version of a receiver that is accepted. Default 1.2. */
  tlsMinVersion?: 'TLSv1.2' | 'TLSv1.3';
  /** `http://host:port` of a CONNECT proxy. Addresses are checked here, and the proxy gets the checked address, never a name. */
  proxy?: string | null;
  /** Addresses of this host that requests leave from (R-6.2-8), at most one per family; a family without one is then not dialled. Empty: the system chooses. */
  sourceAddresses?: readonly string[];
  /** DNS servers as `address` or `address:port`; empty: those of the system. */
  dnsServers?: readonly string[];
  /** Budget of one name look-up over all tries, in milliseconds. Default 5,000. */
  lookUpTimeoutMs?: number;
}
