// Package einvoice reads electronic business documents into structured data: UBL 2 (Invoice,
// CreditNote, Order, OrderResponse, DespatchAdvice, ReceiptAdvice) and UN/CEFACT Cross
// Industry Invoice (D16B, ZUGFeRD 1 before it, and its order, Order-X), in the profiles of Factur-X, ZUGFeRD,
// XRechnung and Peppol, and the Italian FatturaPA.
//
// A file takes three steps:
//
//   - tree.go decodes it into elements of the format's vocabulary, each document of an envelope
//     (SBDH) separately. Of a wrong encoding declared, the content decides. Name spaces count by their
//     URI, never by their prefix. Bytes, depth, elements and text are bounded. A document type
//     declaration is refused, and with it all entities.
//   - The tables in ubl.go, cii.go and fattura.go hold the place of each field. ZUGFeRD 1 is CII with
//     other names, so a table of names turns it into CII.
//   - mapping.go and reading.go read the fields at those places.
//
// Read copies and doesn't compute, except for what a FatturaPA lacks: its sums over the rates and
// the amount due less what the buyer withholds. Decimals keep their exact value and dates become ISO dates.
// You must check whether the totals add up. Read compares only quantity x price with a line's
// amount (see product). Unreadable values are Problems of the document. A file is Refused,
// with the reason, if it is broken, foreign or of a type that Matchbook doesn't match. Neither
// contains text of the document.
//
// Some content is left out on purpose:
//
//   - A buyer's reference and a payment reference, because they route a document or a payment
//     and aren't numbers of other documents.
//   - The name of an attachment, because the attachment is a part of the document.
//   - Periods of delivery and validity, because they aren't the billed period.
//   - Lines below lines (an XRechnung extension), because they repeat the amount of the line
//     above them.
package einvoice
