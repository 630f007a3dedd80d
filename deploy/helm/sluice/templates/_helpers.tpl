{{- define "sluice.fullname" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "sluice.selectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "sluice.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{ include "sluice.selectorLabels" . }}
{{- end }}

{{- define "sluice.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "sluice.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "sluice.fullname" .) }}{{ else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{/* What would lose data or start wrongly is refused. */}}
{{- define "sluice.check" -}}
{{- $keys := .Values.secret.keys }}
{{- $many := or (gt (int .Values.replicas) 1) .Values.autoscaling.enabled }}
{{- if and (eq .Values.journal.type "emptyDir") (not .Values.journal.ephemeral) }}
{{- fail "journal.type emptyDir loses usage that a pod has not stored in the database: it is never billed. Set journal.ephemeral to true to accept that, or use persistentVolumeClaim." }}
{{- end }}
{{- $pods := int (ternary .Values.autoscaling.maxReplicas .Values.replicas .Values.autoscaling.enabled) }}
{{- range .Values.journal.adoption.ordinals }}
{{- if lt (int .) $pods }}
{{- fail (printf "journal.adoption.ordinals has %d, but pod %d runs with these values and stores its own volume." (int .) (int .)) }}
{{- end }}
{{- end }}
{{- if and $keys (not .Values.secret.name) }}
{{- fail "secret.name is missing: the name of a Secret that has the keys in secret.keys." }}
{{- end }}
{{- if and $many (not (and (has "DATABASE_URL" $keys) (has "REDIS_URL" $keys))) }}
{{- fail "More than one replica needs DATABASE_URL and REDIS_URL in secret.keys." }}
{{- end }}
{{- if and (has "DATABASE_URL" $keys) (not (has "SLUICE_SECRET" $keys)) }}
{{- fail "DATABASE_URL needs SLUICE_SECRET in secret.keys." }}
{{- end }}
{{- if and (or .Values.secret.previous (has "SLUICE_SECRET_PREVIOUS" $keys)) (not (has "SLUICE_SECRET" $keys)) }}
{{- fail "SLUICE_SECRET_PREVIOUS needs SLUICE_SECRET in secret.keys: without it the secret and its predecessor are files of the volume." }}
{{- end }}
{{- if and (not (has "DATABASE_URL" $keys)) (eq .Values.journal.type "emptyDir") }}
{{- fail "The embedded database needs journal.type persistentVolumeClaim. Add DATABASE_URL to secret.keys, or keep the volume." }}
{{- end }}
{{- end }}

{{- define "sluice.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "sluice.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- /* The keys that are mounted, as JSON. */}}
{{- define "sluice.secretKeys" -}}
{{- $keys := .Values.secret.keys }}
{{- if .Values.secret.previous }}
{{- $keys = uniq (append $keys "SLUICE_SECRET_PREVIOUS") }}
{{- end }}
{{- toJson $keys }}
{{- end }}

{{- define "sluice.secretEnv" -}}
{{- range include "sluice.secretKeys" . | fromJsonArray }}
- name: {{ . }}_FILE
  value: /run/secrets/sluice/{{ . }}
{{- end }}
{{- end }}

{{- define "sluice.env" -}}
{{- range $name, $value := .Values.env }}
- name: {{ $name }}
  {{- /* As JSON, 1000000 is not written as 1e+06. */}}
  value: {{ ternary $value (toJson $value) (kindIs "string" $value) | quote }}
{{- end }}
{{- end }}

{{- define "sluice.secretVolume" -}}
{{- if .Values.secret.keys }}
- name: secrets
  secret:
    secretName: {{ .Values.secret.name }}
    # For the group of the pod.
    defaultMode: 0440
    items:
      {{- range include "sluice.secretKeys" . | fromJsonArray }}
      - key: {{ . }}
        path: {{ . }}
      {{- end }}
{{- end }}
{{- end }}

{{- define "sluice.secretMount" -}}
{{- if .Values.secret.keys }}
- name: secrets
  mountPath: /run/secrets/sluice
  readOnly: true
{{- end }}
{{- end }}
