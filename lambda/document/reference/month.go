package reference

import (
	"strings"
	"sync"
	"time"
)

// monthNames are the names of each month in lower case and ASCII, in eleven languages. They are
// a hint: a name in another language is a word like others.
var monthNames = [12]string{
	"january januar jaenner janvier gennaio enero janeiro januari stycznia styczen ledna leden",
	"february februar februari fevrier febbraio febrero fevereiro lutego luty unora unor",
	"march maerz mars marzo marco maart marts marca marzec brezna brezen",
	"april avril aprile abril kwietnia kwiecien dubna duben",
	"may mai maggio mayo maio mei maj maja kvetna kveten",
	"june juni juin giugno junio junho czerwca czerwiec cervna cerven",
	"july juli juillet luglio julio julho lipca lipiec cervence cervenec",
	"august aout agosto augustus augusti sierpnia sierpien srpna srpen",
	"september septembre settembre septiembre setembro wrzesnia wrzesien zari",
	"october oktober octobre ottobre octubre outubro pazdziernika pazdziernik rijna rijen",
	"november novembre noviembre novembro listopada listopad listopadu",
	"december dezember decembre dicembre diciembre dezembro grudnia grudzien prosince prosinec",
}

var monthOf = sync.OnceValue(func() map[string]time.Month {
	months := map[string]time.Month{}
	for i, names := range monthNames {
		for name := range strings.FieldsSeq(names) {
			months[name] = time.Month(i + 1)
		}
	}
	return months
})

// Month returns the month of a full name in lower case and ASCII, or 0. Short names are left out,
// because a word such as set is seldom a month.
func Month(name string) time.Month { return monthOf()[name] }
