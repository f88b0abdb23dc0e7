{{- /* Generated from k8s/overlays/sandbox by npm run generate -- manifests. */ -}}
{{- define "paycode.settings.api-gateway" -}}
AUTH_SESSION_PUBLIC_URL: https://auth-session:3201
AUTH_SESSION_URL: https://auth-session:3101
INTERNAL_PORT: "3100"
LOG_LEVEL: {{ .Values.logLevel | quote }}
MUTUAL_TLS_CA_FILE: /etc/paycode/token-keys/internal-ca.crt
MUTUAL_TLS_CERT_FILE: /etc/paycode/secrets/MUTUAL_TLS_CERT
MUTUAL_TLS_KEY_FILE: /etc/paycode/secrets/MUTUAL_TLS_KEY
NODE_OPTIONS: --max-old-space-size=288
NOTIFICATION_CONFIG_PUBLIC_URL: https://notification-config:3202
PAYCODE_ENVIRONMENT: {{ .Values.environment | quote }}
PAYMENT_SIMULATOR_PUBLIC_URL: {{ .Values.paymentCore.url | quote }}
PORTAL_PUBLIC_URL: https://portal:3207
PUBLIC_PORT: "8443"
SERVICE_TOKEN_PRIVATE_KEY_FILE: /etc/paycode/secrets/SERVICE_TOKEN_PRIVATE_KEY
SERVICE_TOKEN_PUBLIC_KEYS_FILE: /etc/paycode/token-keys/service-public-keys.json
SHUTDOWN_GRACE_MS: "60000"
TLS_CERT_FILE: /etc/paycode/tls/tls.crt
TLS_KEY_FILE: /etc/paycode/tls/tls.key
WEBHOOK_DISPATCHER_PUBLIC_URL: https://webhook-dispatcher:3203
{{- if .Values.gateway.enabled }}
PROXY_PROTOCOL_FROM: {{ .Values.gateway.proxyProtocolFrom | quote }}
{{- end }}
{{- end }}
{{- define "paycode.settings.auth-session" -}}
DATABASE_CA_FILE: /etc/paycode/postgres/ca.crt
DATABASE_POOL_MAX: "10"
DATABASE_URL_FILE: /etc/paycode/secrets/DATABASE_URL
INTERNAL_PORT: "3101"
KEY_ENCRYPTION_KEYS_FILE: /etc/paycode/secrets/KEY_ENCRYPTION_KEYS
LOG_LEVEL: {{ .Values.logLevel | quote }}
MIGRATIONS: check
MUTUAL_TLS_CA_FILE: /etc/paycode/token-keys/internal-ca.crt
MUTUAL_TLS_CERT_FILE: /etc/paycode/secrets/MUTUAL_TLS_CERT
MUTUAL_TLS_KEY_FILE: /etc/paycode/secrets/MUTUAL_TLS_KEY
NODE_OPTIONS: --max-old-space-size=288
OPERATOR_TOKEN_PUBLIC_KEYS_FILE: /etc/paycode/token-keys/operator-public-keys.json
OPERATOR_TOKEN_REVOCATIONS_FILE: /etc/paycode/token-keys/operator-revocations.json
PASSWORD_PEPPERS_FILE: /etc/paycode/secrets/PASSWORD_PEPPERS
PAYCODE_ENVIRONMENT: {{ .Values.environment | quote }}
PORTAL_DATABASE_URL_FILE: /etc/paycode/secrets/PORTAL_DATABASE_URL
PUBLIC_PORT: "3201"
SERVICE_TOKEN_PRIVATE_KEY_FILE: /etc/paycode/secrets/SERVICE_TOKEN_PRIVATE_KEY
SERVICE_TOKEN_PUBLIC_KEYS_FILE: /etc/paycode/token-keys/service-public-keys.json
SHUTDOWN_GRACE_MS: "60000"
{{- end }}
{{- define "paycode.settings.notification-config" -}}
AUTH_SESSION_URL: https://auth-session:3101
DATABASE_CA_FILE: /etc/paycode/postgres/ca.crt
DATABASE_POOL_MAX: "10"
DATABASE_URL_FILE: /etc/paycode/secrets/DATABASE_URL
INTERNAL_PORT: "3102"
KEY_ENCRYPTION_KEYS_FILE: /etc/paycode/secrets/KEY_ENCRYPTION_KEYS
LOG_LEVEL: {{ .Values.logLevel | quote }}
MIGRATIONS: check
MUTUAL_TLS_CA_FILE: /etc/paycode/token-keys/internal-ca.crt
MUTUAL_TLS_CERT_FILE: /etc/paycode/secrets/MUTUAL_TLS_CERT
MUTUAL_TLS_KEY_FILE: /etc/paycode/secrets/MUTUAL_TLS_KEY
NODE_OPTIONS: --max-old-space-size=192
OPERATOR_TOKEN_PUBLIC_KEYS_FILE: /etc/paycode/token-keys/operator-public-keys.json
OPERATOR_TOKEN_REVOCATIONS_FILE: /etc/paycode/token-keys/operator-revocations.json
PAYCODE_ENVIRONMENT: {{ .Values.environment | quote }}
PUBLIC_PORT: "3202"
RECIPIENT_MESSAGES_URL: https://recipient-messages:3106
SERVICE_TOKEN_PRIVATE_KEY_FILE: /etc/paycode/secrets/SERVICE_TOKEN_PRIVATE_KEY
SERVICE_TOKEN_PUBLIC_KEYS_FILE: /etc/paycode/token-keys/service-public-keys.json
SHUTDOWN_GRACE_MS: "60000"
{{- end }}
{{- define "paycode.settings.payment-simulator" -}}
AUTH_SESSION_URL: https://auth-session:3101
DATABASE_CA_FILE: /etc/paycode/postgres/ca.crt
DATABASE_POOL_MAX: "10"
DATABASE_URL_FILE: /etc/paycode/secrets/DATABASE_URL
EVENTS_TRANSPORT: kafka
INTERNAL_PORT: "3105"
KAFKA_BROKERS: {{ .Values.kafka.brokers | quote }}
KAFKA_SASL_PASSWORD_FILE: /etc/paycode/kafka/password
KAFKA_SASL_USERNAME: payment-simulator
KAFKA_TLS_CA_FILE: /etc/paycode/kafka/ca.crt
LOG_LEVEL: {{ .Values.logLevel | quote }}
MIGRATIONS: check
MUTUAL_TLS_CA_FILE: /etc/paycode/token-keys/internal-ca.crt
MUTUAL_TLS_CERT_FILE: /etc/paycode/secrets/MUTUAL_TLS_CERT
MUTUAL_TLS_KEY_FILE: /etc/paycode/secrets/MUTUAL_TLS_KEY
NODE_OPTIONS: --max-old-space-size=192
NOTIFICATION_CONFIG_URL: https://notification-config:3102
OPERATOR_TOKEN_PUBLIC_KEYS_FILE: /etc/paycode/token-keys/operator-public-keys.json
OPERATOR_TOKEN_REVOCATIONS_FILE: /etc/paycode/token-keys/operator-revocations.json
PAYCODE_ENVIRONMENT: {{ .Values.environment | quote }}
PAYLOAD_KEYS_FILE: /etc/paycode/secrets/PAYLOAD_KEYS
PUBLIC_BASE_URL: {{ printf "https://%s" .Values.host | quote }}
PUBLIC_PORT: "3205"
SERVICE_TOKEN_PRIVATE_KEY_FILE: /etc/paycode/secrets/SERVICE_TOKEN_PRIVATE_KEY
SERVICE_TOKEN_PUBLIC_KEYS_FILE: /etc/paycode/token-keys/service-public-keys.json
SHUTDOWN_GRACE_MS: "60000"
{{- end }}
{{- define "paycode.settings.portal" -}}
AUTH_SESSION_URL: https://auth-session:3101
DATABASE_CA_FILE: /etc/paycode/postgres/ca.crt
DATABASE_POOL_MAX: "5"
DATABASE_URL_FILE: /etc/paycode/secrets/DATABASE_URL
EVENTS_TRANSPORT: kafka
INTERNAL_PORT: "3107"
KAFKA_BROKERS: {{ .Values.kafka.brokers | quote }}
KAFKA_SASL_PASSWORD_FILE: /etc/paycode/kafka/password
KAFKA_SASL_USERNAME: portal
KAFKA_TLS_CA_FILE: /etc/paycode/kafka/ca.crt
KEY_ENCRYPTION_KEYS_FILE: /etc/paycode/secrets/KEY_ENCRYPTION_KEYS
LOG_LEVEL: {{ .Values.logLevel | quote }}
MIGRATIONS: check
MUTUAL_TLS_CA_FILE: /etc/paycode/token-keys/internal-ca.crt
MUTUAL_TLS_CERT_FILE: /etc/paycode/secrets/MUTUAL_TLS_CERT
MUTUAL_TLS_KEY_FILE: /etc/paycode/secrets/MUTUAL_TLS_KEY
NODE_OPTIONS: --max-old-space-size=192
NOTIFICATION_CONFIG_URL: https://notification-config:3102
OPERATOR_TOKEN_PUBLIC_KEYS_FILE: /etc/paycode/token-keys/operator-public-keys.json
OPERATOR_TOKEN_REVOCATIONS_FILE: /etc/paycode/token-keys/operator-revocations.json
PAYCODE_ENVIRONMENT: {{ .Values.environment | quote }}
PAYLOAD_KEYS_FILE: /etc/paycode/secrets/PAYLOAD_KEYS
PAYMENT_SIMULATOR_URL: https://payment-simulator:3105
PUBLIC_BASE_URL: {{ printf "https://%s" .Values.host | quote }}
PUBLIC_PORT: "3207"
RECIPIENT_MESSAGES_URL: https://recipient-messages:3106
REVERSAL_SCHEDULER_URL: https://reversal-scheduler:3104
SERVICE_TOKEN_PRIVATE_KEY_FILE: /etc/paycode/secrets/SERVICE_TOKEN_PRIVATE_KEY
SERVICE_TOKEN_PUBLIC_KEYS_FILE: /etc/paycode/token-keys/service-public-keys.json
SHUTDOWN_GRACE_MS: "60000"
WEBHOOK_DISPATCHER_URL: https://webhook-dispatcher:3103
{{- end }}
{{- define "paycode.settings.recipient-messages" -}}
DATABASE_CA_FILE: /etc/paycode/postgres/ca.crt
DATABASE_POOL_MAX: "5"
DATABASE_URL_FILE: /etc/paycode/secrets/DATABASE_URL
EVENTS_TRANSPORT: kafka
INTERNAL_PORT: "3106"
KAFKA_BROKERS: {{ .Values.kafka.brokers | quote }}
KAFKA_SASL_PASSWORD_FILE: /etc/paycode/kafka/password
KAFKA_SASL_USERNAME: recipient-messages
KAFKA_TLS_CA_FILE: /etc/paycode/kafka/ca.crt
LOG_LEVEL: {{ .Values.logLevel | quote }}
MIGRATIONS: check
MUTUAL_TLS_CA_FILE: /etc/paycode/token-keys/internal-ca.crt
MUTUAL_TLS_CERT_FILE: /etc/paycode/secrets/MUTUAL_TLS_CERT
MUTUAL_TLS_KEY_FILE: /etc/paycode/secrets/MUTUAL_TLS_KEY
NODE_OPTIONS: --max-old-space-size=192
NOTIFICATION_CONFIG_URL: https://notification-config:3102
OPERATOR_TOKEN_PUBLIC_KEYS_FILE: /etc/paycode/token-keys/operator-public-keys.json
OPERATOR_TOKEN_REVOCATIONS_FILE: /etc/paycode/token-keys/operator-revocations.json
PAYCODE_ENVIRONMENT: {{ .Values.environment | quote }}
PAYLOAD_KEYS_FILE: /etc/paycode/secrets/PAYLOAD_KEYS
PUBLIC_BASE_URL: {{ printf "https://%s" .Values.host | quote }}
SERVICE_TOKEN_PRIVATE_KEY_FILE: /etc/paycode/secrets/SERVICE_TOKEN_PRIVATE_KEY
SERVICE_TOKEN_PUBLIC_KEYS_FILE: /etc/paycode/token-keys/service-public-keys.json
SHUTDOWN_GRACE_MS: "60000"
{{- end }}
{{- define "paycode.settings.reversal-scheduler" -}}
DATABASE_CA_FILE: /etc/paycode/postgres/ca.crt
DATABASE_POOL_MAX: "10"
DATABASE_URL_FILE: /etc/paycode/secrets/DATABASE_URL
EVENTS_TRANSPORT: kafka
INTERNAL_PORT: "3104"
KAFKA_BROKERS: {{ .Values.kafka.brokers | quote }}
KAFKA_SASL_PASSWORD_FILE: /etc/paycode/kafka/password
KAFKA_SASL_USERNAME: reversal-scheduler
KAFKA_TLS_CA_FILE: /etc/paycode/kafka/ca.crt
LOG_LEVEL: {{ .Values.logLevel | quote }}
MIGRATIONS: check
MUTUAL_TLS_CA_FILE: /etc/paycode/token-keys/internal-ca.crt
MUTUAL_TLS_CERT_FILE: /etc/paycode/secrets/MUTUAL_TLS_CERT
MUTUAL_TLS_KEY_FILE: /etc/paycode/secrets/MUTUAL_TLS_KEY
NODE_OPTIONS: --max-old-space-size=288
OPERATOR_TOKEN_PUBLIC_KEYS_FILE: /etc/paycode/token-keys/operator-public-keys.json
OPERATOR_TOKEN_REVOCATIONS_FILE: /etc/paycode/token-keys/operator-revocations.json
PAYCODE_ENVIRONMENT: {{ .Values.environment | quote }}
SERVICE_TOKEN_PRIVATE_KEY_FILE: /etc/paycode/secrets/SERVICE_TOKEN_PRIVATE_KEY
SERVICE_TOKEN_PUBLIC_KEYS_FILE: /etc/paycode/token-keys/service-public-keys.json
SHUTDOWN_GRACE_MS: "60000"
WEBHOOK_DISPATCHER_URL: https://webhook-dispatcher:3103
{{- end }}
{{- define "paycode.settings.webhook-dispatcher" -}}
AUTH_SESSION_URL: https://auth-session:3101
DATABASE_CA_FILE: /etc/paycode/postgres/ca.crt
DATABASE_POOL_MAX: "10"
DATABASE_URL_FILE: /etc/paycode/secrets/DATABASE_URL
EVENTS_TRANSPORT: kafka
INTERNAL_PORT: "3103"
KAFKA_BROKERS: {{ .Values.kafka.brokers | quote }}
KAFKA_SASL_PASSWORD_FILE: /etc/paycode/kafka/password
KAFKA_SASL_USERNAME: webhook-dispatcher
KAFKA_TLS_CA_FILE: /etc/paycode/kafka/ca.crt
KEY_ENCRYPTION_KEYS_FILE: /etc/paycode/secrets/KEY_ENCRYPTION_KEYS
LOG_LEVEL: {{ .Values.logLevel | quote }}
MIGRATIONS: check
MUTUAL_TLS_CA_FILE: /etc/paycode/token-keys/internal-ca.crt
MUTUAL_TLS_CERT_FILE: /etc/paycode/secrets/MUTUAL_TLS_CERT
MUTUAL_TLS_KEY_FILE: /etc/paycode/secrets/MUTUAL_TLS_KEY
NODE_OPTIONS: --max-old-space-size=576 --max-semi-space-size=32
NOTIFICATION_CONFIG_URL: https://notification-config:3102
OPERATOR_TOKEN_PUBLIC_KEYS_FILE: /etc/paycode/token-keys/operator-public-keys.json
OPERATOR_TOKEN_REVOCATIONS_FILE: /etc/paycode/token-keys/operator-revocations.json
PAYCODE_ENVIRONMENT: {{ .Values.environment | quote }}
PAYLOAD_KEYS_FILE: /etc/paycode/secrets/PAYLOAD_KEYS
PUBLIC_PORT: "3203"
REVERSAL_SCHEDULER_URL: https://reversal-scheduler:3104
SERVICE_TOKEN_PRIVATE_KEY_FILE: /etc/paycode/secrets/SERVICE_TOKEN_PRIVATE_KEY
SERVICE_TOKEN_PUBLIC_KEYS_FILE: /etc/paycode/token-keys/service-public-keys.json
SHUTDOWN_GRACE_MS: "60000"
SOCKETS_MAX: "3000"
{{- end }}
