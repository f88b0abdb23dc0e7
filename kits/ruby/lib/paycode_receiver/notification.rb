# frozen_string_literal: true

require 'bigdecimal'
require 'json'
require 'openssl'

module PaycodeReceiver
  # None of the keys opens the body as a notification. `code`: BAD_ENCODING, TOO_SHORT, NOT_AUTHENTIC or NOT_A_NOTIFICATION.
  class RefusedBody < StandardError
    attr_reader :code

    def initialize(code)
      super("the body was refused: #{code}")
      @code = code
    end
  end

  # A notification, version V3. A field that the JSON leaves out is nil. Fractions are BigDecimal, which is exact and drops zeros at the end.
  # `transaction_id` is the same in repeats, `reference_transaction_id` the original of a refund or reversal, else 0. The kit passes an unknown
  # status on unchanged. `text` is the JSON as it was sent, with personal data; `inspect` and `pp` show id and status only.
  Notification = Struct.new(
    :transaction_id, :merchant_id, :merchant_name, :acquirer, :reference, :amount, :currency_code, :code, :status, :client_msisdn,
    :destination, :extra_reference_name, :extra_reference_value, :tip_amount, :reference_transaction_id, :bank_response, :card_info,
    :client_contact, :client_billing, :client_shipping, :version_data, :text, keyword_init: true
  ) do
    # The id of the payment that this notification is about; for a reversal, of the original payment.
    def payment_id
      status == 'REVERSED' && reference_transaction_id.positive? ? reference_transaction_id : transaction_id
    end

    def inspect
      "#<Notification #{transaction_id} #{status}>"
    end
    alias_method :to_s, :inspect

    def pretty_print(printer)
      printer.text(inspect)
    end

    # The header is not authenticated, so the encrypted body must be that of a test too: amount 0 and a reference that begins with TEST-.
    def test?
      amount.zero? && reference.start_with?('TEST-')
    end
  end

  NONCE_BYTES = 12
  TAG_BYTES = 16
  ID_MAX = (2**53) - 1
  KEY = /\A\W*(\h{32})\W*\z/n
  BASE64 = %r{\A(?:[A-Za-z0-9+/]{4})*+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?\z}
  private_constant :NONCE_BYTES, :TAG_BYTES, :ID_MAX, :KEY, :BASE64

  class << self
    # The notification in a raw body: base64 of nonce (12 bytes), ciphertext and tag (16 bytes), AES-128-GCM under one of the keys (32 hexadecimal
    # characters each). Give the lines of your key file: blanks, quotes, empty lines and what follows a # do not matter, and every key is tried, the new
    # and the old one during a renewal. The one that `key_id`, the header X-Webhook-Key-Id, names is the first; nobody vouches for a header, so the
    # others follow. Raises RefusedBody, and ArgumentError when no key fits and a line is none.
    def open_notification(raw_body, keys, key_id = nil)
      body = raw_body.b
      raise RefusedBody, 'BAD_ENCODING' unless BASE64.match?(body)

      sealed = body.unpack1('m')
      raise RefusedBody, 'TOO_SHORT' if sealed.bytesize < NONCE_BYTES + TAG_BYTES

      lines = keys.flat_map { |key| key.b.gsub(/#.*/n, '').lines }.grep(/\w/n)
      found = lines.filter_map { |line| line[KEY, 1] }
      found.partition { |key| id_of(key) == key_id }.flatten.each do |key|
        plaintext = decrypted(sealed, key)
        return read_notification(plaintext) if plaintext
      end
      raise ArgumentError, 'a webhook key is 32 hexadecimal characters' if found.size < lines.size

      raise RefusedBody, 'NOT_AUTHENTIC'
    end

    # The notification in its plain JSON: a decrypted body, or what getNotification answers. Raises RefusedBody.
    def read_notification(plaintext)
      text = plaintext.dup.force_encoding(Encoding::UTF_8)
      raise RefusedBody, 'NOT_A_NOTIFICATION' unless text.valid_encoding? && text.start_with?('{')

      typed(JSON.parse(text, decimal_class: BigDecimal), text)
    rescue JSON::ParserError, TypeError, RangeError
      raise RefusedBody, 'NOT_A_NOTIFICATION'
    end

    private

    # As the platform names a key.
    def id_of(key)
      OpenSSL::Digest::SHA256.hexdigest([key].pack('H*'))[0, 16]
    end

    # Nil when the body has another key or was changed on the way.
    def decrypted(sealed, key)
      cipher = OpenSSL::Cipher.new('aes-128-gcm').decrypt
      cipher.key = [key].pack('H*')
      cipher.iv = sealed[0, NONCE_BYTES]
      # OpenSSL accepts a tag of any length, even 4 bytes; this tag always has 16.
      cipher.auth_tag = sealed[-TAG_BYTES..]
      cipher.auth_data = ''
      ciphertext = sealed[NONCE_BYTES...-TAG_BYTES]
      (ciphertext.empty? ? '' : cipher.update(ciphertext)) + cipher.final
    rescue OpenSSL::Cipher::CipherError
      nil
    end

    def typed(json, text)
      Notification.new(
        transaction_id: id(json, 'transactionId', 1),
        merchant_id: id(json, 'merchantId', 1),
        merchant_name: required(json, 'merchantName', String),
        acquirer: required(json, 'acquirer', String),
        reference: required(json, 'reference', String),
        amount: decimal(json, 'amount'),
        currency_code: required(json, 'currencyCode', String),
        code: optional(json, 'code', String),
        status: required(json, 'status', String),
        client_msisdn: optional(json, 'clientMsisdn', String),
        destination: optional(json, 'destination', String),
        extra_reference_name: optional(json, 'extraReferenceName', String),
        extra_reference_value: optional(json, 'extraReferenceValue', String),
        tip_amount: json['tipAmount'].nil? ? nil : decimal(json, 'tipAmount'),
        reference_transaction_id: json['referenceTransactionId'].nil? ? 0 : id(json, 'referenceTransactionId', 0),
        bank_response: optional(json, 'bankResponse', Hash),
        card_info: optional(json, 'cardInfo', Hash),
        client_contact: optional(json, 'clientContact', Hash),
        client_billing: optional(json, 'clientBilling', Hash),
        client_shipping: optional(json, 'clientShipping', Hash),
        version_data: optional(json, 'versionData', Hash),
        text: text
      ).freeze
    end

    def required(json, name, *types)
      types.any? { |type| json[name].is_a?(type) } ? json[name] : raise(TypeError, name)
    end

    def optional(json, name, type)
      json[name].nil? ? nil : required(json, name, type)
    end

    def id(json, name, least)
      required(json, name, Integer).between?(least, ID_MAX) ? json[name] : raise(RangeError, name)
    end

    def decimal(json, name)
      value = required(json, name, Integer, BigDecimal)
      value.negative? ? raise(RangeError, name) : BigDecimal(value)
    end
  end
end
