{{- /* Generated from k8s/overlays/sandbox by npm run generate -- manifests. */ -}}
{{- define "paycode.addresses" -}}
api-gateway:3100 auth-session:3101 notification-config:3102 {{ if .Values.paymentSimulator.enabled }}payment-simulator:3105 {{ end }}portal:3107 recipient-messages:3106 reversal-scheduler:3104 webhook-dispatcher:3103 
{{- end }}
